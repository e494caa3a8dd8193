import { fileURLToPath } from 'node:url';
import type { Framing } from '../rpc/stdio/framing.ts';
import type { FaultSpec } from './spec.ts';

/** What the wrapper of a program is told. */
export type ProgramArguments = {
  readonly command: readonly [string, ...string[]];
  readonly framing: Framing | 'auto';
  readonly max_message: number;
  readonly spec: FaultSpec;
  readonly seed: number;
  /** The file in which answers are counted. */
  readonly turns: string;
};

/** What a line of the wrapper on standard error begins with where it tells of a fault. */
export const FAULT_LINE = 'gleitzeit-fault: ';

/** The command that starts the wrapper instead of the program itself. A clone has .ts, the built package .js. */
export function wrapperCommand(
  node: string,
  { command, ...told }: ProgramArguments,
): readonly [string, ...string[]] {
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const program = fileURLToPath(new URL(`./stdio-program${ending}`, import.meta.url));
  return [node, program, JSON.stringify(told), ...command];
}

/** Written by `wrapperCommand`, and by nobody else. */
export function readProgramArguments(args: readonly string[]): ProgramArguments {
  const [told = '', name = '', ...rest] = args;
  return { ...(JSON.parse(told) as Omit<ProgramArguments, 'command'>), command: [name, ...rest] };
}
