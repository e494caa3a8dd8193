import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { GleitzeitError } from '../core/errors.ts';
import type { ParamsOf } from '../sdk/index.ts';
import { nearFile } from './missing-file.ts';
import type { Invocation } from './spec.ts';
import type { BatchFolder } from './workflow-file.ts';

/** A workflow that can be started: sent along, or by the name under which it was defined. */
export type Runnable = {
  readonly name: string;
  readonly what: { readonly workflow: Workflow } | { readonly name: string };
  /** Whether the file says that nobody waits for it. */
  readonly alone: boolean;
  /** What it was refused with, at the places of the file it was read from. */
  readonly placed: (error: GleitzeitError) => GleitzeitError;
};

type Workflow = NonNullable<ParamsOf<'workflow.submit'>['workflow']>;

/** Anything that looks like a file is one; everything else is the name of a workflow that was defined. */
export async function readRunnable(call: Invocation, named: string): Promise<Runnable> {
  if (!looksLikeFile(named) && !existsSync(resolve(call.cwd, named)))
    return defined(named, await nearFile(call.cwd, named));
  const file = await readWorkflowHere(call, named);
  if (file.notes.length > 0) call.io.say(notesLine(file.notes.length, named));
  const { placedError } = await import('../files/workflow/place.ts');
  // The reader has held it against the same schema.
  const what = { workflow: file.workflow as unknown as Workflow };
  const alone = file.wait_for_completion === false;
  return { name: file.name, what, alone, placed: (error) => placedError(file, error) };
}

/** Somebody who writes a name may also have meant a file: where none is defined, both are told. */
function defined(named: string, near: string | null): Runnable {
  const placed = (error: GleitzeitError) => {
    if (error.code !== 'GLZ1010') return error;
    const file = near === null ? 'a path or a name with .yaml is a file' : `did you mean the file ${near}?`;
    const { hint, ...details } = error.details;
    const reason = `there is no file ${named} here either`;
    return new GleitzeitError(error.code, error.message, {
      ...details,
      reason,
      hint: hint === undefined || hint === 'define it first' ? file : `${hint}; ${file}`,
    });
  };
  return { name: named, what: { name: named }, alone: false, placed };
}

/** They stop nothing, and somebody who runs the file each day does not want to read them each day. */
function notesLine(count: number, named: string): string {
  return `${named}: ${count} ${count === 1 ? 'note' : 'notes'}; gleitzeit validate ${named} shows them`;
}

/** A file with everything that is known around it: its references and params are judged before anything runs. */
export async function readWorkflowHere(
  call: Invocation,
  named: string,
  lists?: (folder: BatchFolder) => void,
) {
  const { laxProtocols, readWorkflowAt } = await import('./workflow-file.ts');
  return readWorkflowAt(call, named, await laxProtocols(call, named), lists);
}

function looksLikeFile(named: string): boolean {
  return named === '-' || named !== basename(named) || /\.(ya?ml|json)$/i.test(named);
}
