import { cleanLine, cleanText } from '../output/clean.ts';
import { paint, type Style } from '../output/paint.ts';
import { cutTo, padTo, widthOf } from '../output/width.ts';
import { chooseTasks } from './fold.ts';
import type { Progress, TaskProgress } from './model.ts';
import { tailOf } from './told.ts';
import { duration, remarkOf, secondsOf, signOf } from './words.ts';

export type Frame = {
  readonly now: number;
  readonly columns: number;
  /** Lines there is room for. */
  readonly rows: number;
  readonly colour: boolean;
  /** How long such a run usually takes; null where none ended yet. */
  readonly usual_ms: number | null;
  /** Counts up with each frame, for what turns. */
  readonly turn: number;
};

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** Head, a line for what is folded, and foot. */
const AROUND = 2;
const LONGEST_ID = 32;
const WORD = 11;
const TIME = 9;
/** Sign, word, time and the spaces around them. */
const BEFORE_REMARK = 2 + 1 + 3 + WORD + 1 + TIME + 1;
const GAP = 2;
/** Less than this of an output tells nothing. */
const FEWEST_COLUMNS = 12;

/** The run as lines that fit: its name, a line for each task or for those folded together, and how far it is. */
export function renderProgress(progress: Progress, frame: Frame): string[] {
  const { name, tasks } = progress;
  const { shown, folded } = chooseTasks(tasks, Math.max(1, frame.rows - AROUND));
  const width = Math.min(LONGEST_ID, Math.max(0, ...shown.map(({ id }) => widthOf(cleanLine(id)))));
  return [
    ...(name === null ? [] : [fitted([[cleanLine(name), 'bold']], frame)]),
    ...shown.map((task) => fitted(piecesOf(task, { progress, frame, width }), frame)),
    ...(folded === null ? [] : [fitted([[`  … ${folded}`, 'dim']], frame)]),
    fitted([[footer(progress, frame), 'dim']], frame),
  ];
}

type Piece = readonly [text: string, style: Style | null];

/** Cut while it is plain: colours take no room, and half an escape sequence would colour all that follows. */
function fitted(pieces: readonly Piece[], { columns, colour }: Frame): string {
  let left = columns;
  const painted = pieces.map(([text, style]) => {
    const cut = cutTo(text, left);
    left -= widthOf(cut);
    return paint(colour, style, cut);
  });
  return painted.join('').trimEnd();
}

type Place = { readonly progress: Progress; readonly frame: Frame; readonly width: number };

function piecesOf(task: TaskProgress, { progress, frame, width }: Place): Piece[] {
  const { icon, word, style } = signOf(task);
  const turning = spinner[frame.turn % spinner.length] ?? icon;
  const id = padTo(cutTo(cleanLine(task.id), width), width);
  const remark = cleanLine(remarkOf(task, progress, frame.now));
  const left = frame.columns - BEFORE_REMARK - width - widthOf(remark);
  return [
    ['  ', null],
    [task.status === 'executing' ? turning : icon, style],
    [` ${id}  `, null],
    [padTo(word, WORD), style],
    [` ${padTo(secondsOf(task, frame.now) ?? '', TIME)} `, null],
    [remark, task.status === 'failed' ? 'red' : 'dim'],
    ...outputOf(task, left),
  ];
}

/** The end of what it puts out, where there is room for a few words of it. */
function outputOf({ told, status }: TaskProgress, left: number): Piece[] {
  if (told === null || status !== 'executing' || left < FEWEST_COLUMNS) return [];
  const tail = tailOf(cleanText(told.text ?? ''), left - GAP);
  return tail === '' ? [] : [[`${' '.repeat(GAP)}${cleanLine(tail)}`, null]];
}

function footer(progress: Progress, { now, usual_ms }: Frame): string {
  const { tasks, total, status, started_at, ended_at } = progress;
  const done = tasks.filter((task) => task.ended_at !== null).length;
  const elapsed = (ended_at ?? now) - (started_at ?? now);
  const parts = [`${done}/${Math.max(total, tasks.length)} tasks`, duration(elapsed)];
  if (status !== 'running') parts.unshift(status);
  else if (usual_ms !== null) parts.push(remaining(usual_ms - elapsed));
  return parts.join(', ');
}

function remaining(ms: number): string {
  return ms > 0 ? `about ${duration(ms)} left` : 'longer than usual';
}
