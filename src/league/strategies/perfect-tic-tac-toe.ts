import { type Board, isOver, lineOf, type Mark } from '../games/tic-tac-toe.ts';

/** Every field that leads to the best that can be reached from here, as long as the other makes no mistake either. */
export function bestFields(board: Board, mark: 'X' | 'O'): readonly number[] {
  const known = new Map<string, number>();
  const rated = free(board).map((field) => ({
    field,
    worth: -worthOf(board.with(field, mark), opposite(mark), known),
  }));
  const best = Math.max(...rated.map(({ worth }) => worth));
  return rated.filter(({ worth }) => worth === best).map(({ field }) => field);
}

/** 1, 0 or -1: what whoever moves next can be sure of. `known` spares most of the 5,478 boards. */
function worthOf(board: Board, next: 'X' | 'O', known: Map<string, number>): number {
  const key = board.map((mark) => mark || '.').join('');
  const before = known.get(key);
  if (before !== undefined) return before;
  const worth = isOver(board)
    ? lineOf(board) === ''
      ? 0
      : -1
    : Math.max(...free(board).map((field) => -worthOf(board.with(field, next), opposite(next), known)));
  known.set(key, worth);
  return worth;
}

function free(board: Board): readonly number[] {
  return board.flatMap((mark: Mark, field) => (mark === '' ? [field] : []));
}

function opposite(mark: 'X' | 'O'): 'X' | 'O' {
  return mark === 'X' ? 'O' : 'X';
}
