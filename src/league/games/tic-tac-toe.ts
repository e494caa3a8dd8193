import type { Json, JsonObject } from '../../core/json.ts';
import { gameOf, type Rules, type Seat, usualPoints } from './game.ts';

export type Mark = '' | 'X' | 'O';
/** Nine fields, row by row. */
export type Board = readonly Mark[];

export const lines = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
] as const;

const markOf = (seat: Seat): Mark => (seat === 0 ? 'X' : 'O');

const rules: Rules<Board, number> = {
  name: 'tic_tac_toe',
  points: usualPoints,
  begin: () => Array<Mark>(9).fill(''),
  asked: (board) => (isOver(board) ? [] : [taken(board) % 2 === 0 ? 0 : 1]),
  context: (board, seat) => ({
    board: rowsOf(board),
    your_mark: markOf(seat),
    move_number: taken(board) + 1,
  }),
  read: (board, { payload: { row, col } }) => {
    if (!isPlace(row) || !isPlace(col)) return { fault: 'row and col must be whole numbers from 0 to 2' };
    const field = row * 3 + col;
    return board[field] === '' ? { move: field } : { fault: `row ${row}, col ${col} is taken` };
  },
  apply: (board, turns) =>
    turns.reduce<Board>((before, { seat, move }) => before.with(move, markOf(seat)), board),
  ending: (board) => {
    if (!isOver(board)) return null;
    const winner = lineOf(board);
    return { winner: winner === '' ? null : winner === 'X' ? 0 : 1 };
  },
  shown: (board) => ({ board: rowsOf(board) }),
  choices: (context) => {
    const board = readBoard(context);
    return (board ?? []).flatMap((mark, field) => (mark === '' ? [placeOf(field)] : []));
  },
};

/** Whose three stand in a line; '' where nobody's do. */
export function lineOf(board: Board): Mark {
  for (const [a, b, c] of lines) {
    const mark = board[a] ?? '';
    if (mark !== '' && mark === board[b] && mark === board[c]) return mark;
  }
  return '';
}

export function isOver(board: Board): boolean {
  return lineOf(board) !== '' || taken(board) === 9;
}

/** The board of a `step_context`; null where it is none. */
export function readBoard({ board }: JsonObject): Board | null {
  if (!Array.isArray(board)) return null;
  const fields = board.flat() as Json[];
  return fields.length === 9 && fields.every(isMark) ? fields : null;
}

export function placeOf(field: number): JsonObject {
  return { row: Math.floor(field / 3), col: field % 3 };
}

function isMark(value: Json): value is Mark {
  return value === '' || value === 'X' || value === 'O';
}

function isPlace(value: Json | undefined): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 2;
}

function taken(board: Board): number {
  return board.filter((mark) => mark !== '').length;
}

function rowsOf(board: Board): Json {
  return [board.slice(0, 3), board.slice(3, 6), board.slice(6)];
}

export const ticTacToe = gameOf(rules);
