import { CommanderError } from 'commander';
import { GleitzeitError } from '../core/errors.ts';
import { didYouMean } from '../core/suggest.ts';
import { commonOptions } from './common-options.ts';
import { errorLine, errorText, exitOf } from './errors.ts';
import { type ExitName, exits } from './exits.ts';
import { badValue, type FlagValue, readFlags } from './flags.ts';
import { createIo, type Io, type Stream } from './io.ts';
import { formats } from './output/formats.ts';
import { buildProgram, type Parsed } from './program.ts';
import type { CommandSpec, Environment, Invocation, OptionSpec } from './spec.ts';
import { chapters, groups } from './specs/groups.ts';

/** Everything of the outside that the program touches. */
export type World = {
  readonly argv: readonly string[];
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly stdin_tty: boolean;
  readonly env: Environment;
  readonly cwd: string;
  readonly now: () => number;
  readonly version: string;
  readonly specs: readonly CommandSpec[];
  /** Told which command it is, before that begins. */
  readonly understood?: (spec: CommandSpec) => void;
};

/** Reads a command line, does what it says, and answers with the status to end with. */
export async function runProgram(world: World): Promise<number> {
  let io = earlyIo(world);
  try {
    const parsed = parse(world);
    if (parsed === null) return exits.ok.status;
    const { spec, flags } = parsed;
    io = ioOf(world, flags);
    checkFormat(spec, io.format);
    checkStandardInput(parsed);
    const { env, cwd, now, specs } = world;
    const call: Invocation = {
      spec,
      arguments: parsed.arguments,
      flags: readFlags(flags),
      io,
      env,
      cwd,
      now,
      specs,
    };
    world.understood?.(spec);
    const run = await spec.load();
    return exits[(await run(call)) ?? 'ok'].status;
  } catch (thrown) {
    return tell(thrown, io);
  }
}

/** Null where help or the version was asked for and given. */
function parse({ argv, specs, version, stdout, env }: World): Parsed | null {
  const seen: Parsed[] = [];
  const print = (text: string) => void stdout.write(text);
  const found = (parsed: Parsed) => void seen.push(parsed);
  const program = buildProgram({ specs, groups, chapters, version, print, found });
  try {
    program.parse([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0 || thrown.code === 'commander.help') return null;
    throw usageError(thrown, argv, specs);
  }
  const [parsed] = seen;
  return parsed === undefined ? null : withEnvironment(parsed, env);
}

/** commander's words in our shape: what is wrong, and what was probably meant. */
function usageError({ message }: CommanderError, argv: readonly string[], specs: readonly CommandSpec[]) {
  const [first = '', suggestion] = message.replace(/^error: (?:command-argument value )?/, '').split('\n');
  const words = argv.filter((word) => !word.startsWith('-'));
  const spec =
    specs.find(({ name }) => name === words.slice(0, 2).join(' ')) ??
    specs.find(({ name }) => name === words[0]);
  const page = spec === undefined ? 'gleitzeit --help' : `gleitzeit ${spec.name} --help`;
  const meant = suggestion?.replace(/^\((.*)\)$/, '$1');
  const hint = [meant, `${page} shows how it is used`].filter((text) => text !== undefined).join(' ');
  return new GleitzeitError('GLZ1012', first, { hint });
}

/** A variable speaks where the flag does not; a default where neither does. */
function withEnvironment(parsed: Parsed, env: Environment): Parsed {
  const flags = new Map<string, FlagValue>(parsed.flags);
  for (const option of [...commonOptions, ...(parsed.spec.options ?? [])]) {
    const name = longName(option);
    if (flags.has(name)) continue;
    const said = option.env === undefined ? '' : (env[option.env] ?? '');
    const value = said === '' ? option.default : said;
    if (value !== undefined) flags.set(name, option.repeat ? [value] : value);
  }
  return { ...parsed, flags };
}

function longName({ flags }: OptionSpec): string {
  return /--([\w-]+)/.exec(flags)?.[1] ?? flags;
}

function ioOf(world: World, flags: ReadonlyMap<string, FlagValue>): Io {
  const read = readFlags(flags);
  const fields = (read.text('fields') ?? '').split(',').map((field) => field.trim());
  return createIo({
    ...world,
    format: read.text('output') ?? 'table',
    fields: fields.filter((field) => field !== ''),
    color: read.text('color'),
    no_input: read.is('no-input'),
    debug: read.is('debug'),
  });
}

/** For what is wrong with the command line itself, before it was understood. */
function earlyIo(world: World): Io {
  const at = world.argv.findIndex((word) => /^(?:-o|--output)/.test(word));
  const word = world.argv[at] ?? '';
  const said = /^(?:-o|--output)=?(.+)$/.exec(word)?.[1] ?? world.argv[at + 1] ?? '';
  return ioOf(world, new Map([['output', /^jsonl?$/.test(said) ? said : 'table']]));
}

function checkFormat({ formats: own = [] }: CommandSpec, format: string): void {
  const known = [...formats, ...own];
  if (!known.includes(format)) throw badValue('output', format, didYouMean(format, known, 'formats'));
}

/** Whoever reads it second would find it empty, and blame the file for that. */
function checkStandardInput({ spec, arguments: words, flags }: Parsed): void {
  const named = [...words, flags.get('input-file'), flags.get('params')].filter((word) => word === '-');
  if (named.length < 2 || spec.hidden) return;
  throw new GleitzeitError('GLZ1012', 'standard input is named twice, and can be read once', {
    hint: 'write one of them to a file',
  });
}

function tell(thrown: unknown, io: Io): number {
  const error = GleitzeitError.from(thrown);
  const forPrograms = io.format === 'json' || io.format === 'jsonl';
  io.stderr.write(forPrograms ? errorLine(error) : errorText(error, io.stderr.colour, io.stderr.columns));
  if (io.debug) io.say(error.stack ?? '');
  const name: ExitName = exitOf(error);
  return exits[name].status;
}
