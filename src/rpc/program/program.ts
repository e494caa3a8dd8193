import type { Progress } from '../../core/ports/provider.ts';

type Texts = Readonly<Record<string, string>>;

/** A program that is started once, told something, and heard until it ends. */
export type ProgramRun = {
  /** The program and its arguments, as they are: no shell reads them. */
  readonly command: readonly [string, ...string[]];
  /** Null for the folder that all programs start in. */
  readonly cwd: string | null;
  /** Beside the few harmless variables that every child gets. */
  readonly env: Texts;
  /** Names of variables of ours that are handed on. */
  readonly inherit: readonly string[];
  /** What it was told in confidence: kept out of the log and of its last words. */
  readonly secrets: readonly string[];
  /** Its standard input. */
  readonly input: string;
  /** Where lines of JSON that tell how it is getting on come from. */
  readonly progress: ProgressFrom;
  readonly limits: ProgramLimits;
  readonly signal: AbortSignal;
  readonly report?: ((progress: Progress) => void) | undefined;
  /** Its standard output as it comes. */
  readonly heard?: ((chunk: Buffer) => void) | undefined;
  /** It clears up after a call instead of making one. */
  readonly clears?: boolean;
  /** Who leaves its group is not its own: what an engine of containers has running belongs to others as well. */
  readonly group_only?: boolean;
};

export type ProgressFrom = 'none' | 'stderr' | 'fd3';

export type ProgramLimits = {
  /** Bytes of its standard output. */
  readonly max_output: number;
  /** Bytes of memory that it and all it starts may hold; null for no limit. */
  readonly max_memory: number | null;
  /** How long it may take to end by itself when it is asked to. */
  readonly grace_ms: number;
};

/** How it ended, and its last words on standard error. */
export type ProgramEnd =
  | { readonly how: 'exit'; readonly code: number; readonly output: Buffer; readonly stderr: string }
  | { readonly how: 'signal'; readonly signal: string; readonly stderr: string }
  | { readonly how: 'too_much_output'; readonly stderr: string }
  | { readonly how: 'too_much_memory'; readonly stderr: string };

export type ProgramPlace = {
  /** The folder it runs in; null for the one that all programs start in. */
  readonly cwd: string | null;
  /** Where a PATH of its own may stand. */
  readonly env: Texts;
};

export interface Programs {
  /**
   * Resolves when nothing of the program runs any more. Rejects where it cannot be started, and with the reason of the
   * signal, once the program is gone.
   */
  run(run: ProgramRun): Promise<ProgramEnd>;
  /** Where a file of the package lies that a program is to read. */
  packaged(path: string): string;
  /** The path of the first of these programs that is there; null where none is. `from`: as a run would be told. */
  find(names: readonly string[], from?: ProgramPlace): Promise<string | null>;
}
