import { exits } from './exits.ts';
import { exitsOf } from './reference.ts';
import { runProgram, type World } from './run-program.ts';
import type { CommandSpec } from './spec.ts';
import { specs } from './specs.ts';

export type Played = { readonly status: number; readonly out: string; readonly err: string };

export type PlayOptions = Partial<Pick<World, 'env' | 'cwd' | 'specs' | 'now'>> & {
  /** What a terminal would be as wide as; without it there is none. */
  readonly columns?: number;
};

/** The program in this process, with everything it writes. */
export async function play(argv: readonly string[], options: PlayOptions = {}): Promise<Played> {
  const { columns, ...rest } = options;
  const out: string[] = [];
  const err: string[] = [];
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const status = await runProgram({
    argv,
    stdout: { write: (text) => out.push(text), ...terminal },
    stderr: { write: (text) => err.push(text), ...terminal },
    stdin_tty: false,
    env: {},
    cwd: process.cwd(),
    now: Date.now,
    version: '1.2.3',
    specs,
    ...rest,
  });
  checkDocumented(argv, status, rest.specs ?? specs);
  return { status, out: out.join(''), err: err.join('') };
}

/** Whatever is tried in tests, a command ends only as its spec says, and so its page. */
function checkDocumented(argv: readonly string[], status: number, known: readonly CommandSpec[]): void {
  const [first = '', second = ''] = argv;
  const spec =
    known.find(({ name }) => name === `${first} ${second}`) ?? known.find(({ name }) => name === first);
  if (spec === undefined || known !== specs) return;
  const documented: readonly number[] = exitsOf(spec).map((name) => exits[name].status);
  if (!documented.includes(status))
    throw new Error(`${spec.name} ended with ${status}, which its spec does not say`);
}

/** A command that is only there to be called. */
export function sampleSpec(more: Partial<CommandSpec> = {}): CommandSpec {
  return {
    name: 'sample',
    summary: 'a sample',
    examples: [{ command: 'gleitzeit sample', says: 'shows it' }],
    output: null,
    exits: [],
    load: async () => async () => {},
    ...more,
  };
}
