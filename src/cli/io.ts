import { cleanLine, cleanText } from './output/clean.ts';
import { fieldTable, pickFields } from './output/fields.ts';
import { jsonLine, jsonLines, yamlText } from './output/formats.ts';
import { wantsColour } from './output/paint.ts';
import type { View } from './output/table.ts';

/** What process.stdout is, as far as it matters here. */
export type Stream = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** One of the two places to write to. Only colour and redrawing may depend on what it is. */
export type Screen = {
  readonly tty: boolean;
  /** Whether it may be told to go back and draw over what is there. */
  readonly redraws: boolean;
  readonly colour: boolean;
  /** As wide as it is now; null where nothing limits a line. */
  readonly columns: number | null;
  write(text: string): void;
};

/** How data is shown to people, and by what it is named. */
export type Shown = {
  readonly table: (view: View) => string;
  readonly names: readonly string[];
};

/** Data goes to stdout, everything else to stderr. */
export type Io = {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** table, json, jsonl, yaml, name, none, or one of the command's own. */
  readonly format: string;
  /** Whether a person may be asked something. */
  readonly asks: boolean;
  readonly debug: boolean;
  /** Prints what the command is asked for, by `-o` and `--fields`. */
  emit(data: unknown, shown: Shown): Promise<void>;
  /** One of several that come over time: with json a line each. */
  emitNext(data: unknown, shown: Shown): Promise<void>;
  /** A line or more for people, on stderr. Control characters in it are made visible. */
  say(text: string): void;
};

export type IoOptions = {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly stdin_tty: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly format: string;
  readonly fields: readonly string[];
  readonly color: string | undefined;
  readonly no_input: boolean;
  readonly debug: boolean;
};

export function createIo(options: IoOptions): Io {
  const { format, fields, now, debug } = options;
  const stdout = screenOf(options.stdout, options);
  const stderr = screenOf(options.stderr, options);
  const view = (): View => ({ columns: stdout.columns, colour: stdout.colour, now: now() });
  const render = async (data: unknown, shown: Shown): Promise<string> => {
    if (format === 'none') return '';
    if (format === 'name') return shown.names.map((name) => `${cleanLine(name)}\n`).join('');
    if (format === 'table') return fields.length > 0 ? fieldTable(data, fields, view()) : shown.table(view());
    const chosen = fields.length > 0 ? pickFields(data, fields) : data;
    if (format === 'yaml') return yamlText(chosen);
    return format === 'jsonl' ? jsonLines(chosen) : jsonLine(chosen);
  };
  return {
    stdout,
    stderr,
    format,
    asks: options.stdin_tty && stderr.tty && !options.no_input,
    debug,
    emit: async (data, shown) => stdout.write(await render(data, shown)),
    emitNext: async (data, shown) => {
      const text = await render(data, shown);
      if (format === 'yaml') stdout.write(`---\n${text}`);
      // The names of the columns would stand above each.
      else stdout.write(format === 'table' && fields.length > 0 ? text.replace(/^.*\n/, '') : text);
    },
    say: (text) => stderr.write(`${cleanText(text)}\n`),
  };
}

function screenOf(stream: Stream, { env, color }: Pick<IoOptions, 'env' | 'color'>): Screen {
  // A terminal that says it is dumb takes text and nothing else.
  const redraws = env['TERM'] !== 'dumb';
  const tty = stream.isTTY === true && redraws;
  return {
    tty,
    redraws,
    colour: wantsColour({ flag: color, env, tty }),
    get columns() {
      const said = Number(env['COLUMNS']);
      if (Number.isInteger(said) && said > 0) return said;
      // One that does not know its size says 0.
      return tty ? stream.columns || 80 : null;
    },
    write: (text) => {
      if (text !== '') stream.write(text);
    },
  };
}
