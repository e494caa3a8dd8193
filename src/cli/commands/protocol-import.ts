import { resolve } from 'node:path';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { readBounded } from '../../files/read.ts';
import { type ImportKind, importFrom } from '../../main/import.ts';
import { unreadable } from '../missing-file.ts';
import { yamlText } from '../output/formats.ts';
import type { Invocation } from '../spec.ts';
import { standardInput } from '../standard-input.ts';

/** Documents of whole APIs are larger than anything that is written by hand. */
const LARGEST = 16 * 1024 * 1024;

/** Prints what belongs into a configuration, so that a service can be called. */
export async function protocolImport(call: Invocation): Promise<void> {
  const [source = '', ...command] = call.arguments;
  const kind = (call.flags.text('kind') ?? null) as ImportKind | null;
  const { entry, notes } = await importFrom({
    from: await sourceOf(call, source, command),
    kind,
    name: call.flags.text('name') ?? null,
    url: call.flags.text('url') ?? null,
    cwd: call.cwd,
    env: call.env,
  });
  const made: { readonly protocols: readonly Json[] } = { protocols: [entry] };
  const text = await yamlText(made);
  await call.io.emit(made, { table: () => text, names: [String(entry['name'])] });
  for (const note of notes) call.io.say(note);
}

async function sourceOf(call: Invocation, source: string, command: readonly string[]) {
  if (call.flags.is('command')) return { command: [source, ...command] };
  if (command.length > 0)
    throw new GleitzeitError('GLZ1012', `"${command[0]}" stands behind the source`, {
      field: 'source',
      hint: 'one source at a time; with --command it is a program and its arguments',
    });
  if (/^https?:\/\//.test(source)) return { url: source };
  const file = source === '-' ? 'standard input' : source;
  return { text: await contentOf(call, source), file };
}

async function contentOf(call: Invocation, named: string): Promise<Uint8Array> {
  if (named === '-') return standardInput(call);
  try {
    return await readBounded(resolve(call.cwd, named), LARGEST);
  } catch (thrown) {
    throw await unreadable(thrown, { cwd: call.cwd, named, field: 'source' });
  }
}
