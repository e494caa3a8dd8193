import type { ExitName } from './exits.ts';
import type { Flags } from './flags.ts';
import type { Io } from './io.ts';
import type { OutputName } from './outputs.ts';

/** What can be offered where somebody presses Tab. */
export type Completion =
  | 'any-id'
  | 'run'
  | 'task'
  /** The short id of a task of the run that the command line names. */
  | 'short-id'
  | 'file'
  | 'folder'
  | 'protocol'
  | 'provider'
  | 'agent'
  | 'method';

export type ArgumentSpec = {
  /** As help shows it: `id`, `file`. */
  readonly name: string;
  readonly description: string;
  /** Unless false it must be given. */
  readonly required?: boolean;
  /** Takes all that follow; only the last one may. */
  readonly variadic?: boolean;
  readonly complete?: Completion;
  readonly choices?: readonly string[];
};

export type OptionSpec = {
  /** `--wait`, `-f, --follow`, `--role <role>`. */
  readonly flags: string;
  readonly description: string;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** Words to offer where several may stand, separated by commas. */
  readonly words?: readonly string[];
  /** The variable that says it where the flag does not. */
  readonly env?: string;
  /** May be given several times: `--input a=1 --input b=2`. */
  readonly repeat?: true;
  /** The command makes no sense without it. */
  readonly required?: true;
  readonly complete?: Completion;
};

export type Example = { readonly command: string; readonly says: string };

/** A command as data: the program, its help, completion and reference are made from it. */
export type CommandSpec = {
  /** `status`, or `queue pause` for one of a group. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What else is worth knowing, in whole sentences. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  /** The published schema of what `-o json` prints; null where it prints no data. */
  readonly output: OutputName | null;
  /** What `-o` takes besides the common formats: `mermaid`, `sarif`. */
  readonly formats?: readonly string[];
  /** How it can end besides ok, failure and usage. */
  readonly exits: readonly ExitName[];
  /** Not shown in help or completion. */
  readonly hidden?: true;
  /** Its code, loaded when it is called. */
  readonly load: () => Promise<CommandRun>;
};

/** Without an answer it ended well. */
export type CommandRun = (call: Invocation) => Promise<ExitName | undefined> | Promise<void>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** One call of a command, with everything it may touch. */
export type Invocation = {
  readonly spec: CommandSpec;
  /** In their order; those that were left out are not there. */
  readonly arguments: readonly string[];
  readonly flags: Flags;
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly now: () => number;
  /** Every command there is, for those that tell of them. */
  readonly specs: readonly CommandSpec[];
};
