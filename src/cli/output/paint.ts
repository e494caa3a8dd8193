import { styleText } from 'node:util';

export type Style = 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta' | 'gray' | 'dim' | 'bold';

/** The text in a colour, where colours are wanted. */
export function paint(colour: boolean, style: Style | null, text: string): string {
  return colour && style !== null && text !== '' ? styleText(style, text, { validateStream: false }) : text;
}

export type ColourWish = {
  readonly flag: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tty: boolean;
};

/** The flag, then NO_COLOR, then FORCE_COLOR, then whether somebody is looking. */
export function wantsColour({ flag, env, tty }: ColourWish): boolean {
  if (flag === 'always') return true;
  if (flag === 'never') return false;
  const { NO_COLOR = '', FORCE_COLOR, TERM } = env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return tty && TERM !== 'dumb';
}

const statusStyles: Readonly<Record<string, Style>> = {
  completed: 'green',
  connected: 'green',
  failed: 'red',
  cancelled: 'yellow',
  paused: 'yellow',
  retrying: 'yellow',
  draining: 'yellow',
  drained: 'yellow',
  unhealthy: 'red',
  running: 'cyan',
  executing: 'cyan',
  input_required: 'magenta',
  skipped: 'gray',
  waiting: 'gray',
};

/** The colour that the status of a run, task or provider has everywhere. */
export function statusStyle(status: string): Style | null {
  return statusStyles[status] ?? null;
}
