import { lookUp } from '../completion/lookup.ts';
import { type Candidate, wantedAt } from '../completion/words.ts';
import { withClient } from '../connect.ts';
import { cleanLine } from '../output/clean.ts';
import type { Invocation } from '../spec.ts';
import { groups } from '../specs/groups.ts';

/** Whoever presses Tab waits no longer than this for ids. */
const PATIENCE_MS = 1500;

/** What fits at the end of a command line, a line each; `:file` leaves it to the shell. Never an error. */
export async function complete(call: Invocation): Promise<void> {
  const words = call.arguments.length === 0 ? [''] : call.arguments;
  const { candidates, lookup, given, written, before } = wantedAt({ words, specs: call.specs, groups });
  if (lookup === 'file' || lookup === 'folder') {
    call.io.stdout.write(`:${lookup}\n`);
    return;
  }
  const looked =
    lookup === null ? [] : await patiently(call, given, (client) => lookUp(client, lookup, given));
  const fitting = looked.filter(({ value }) => value.startsWith(written));
  const whole = fitting.map(({ value, says }) => ({ value: `${before}${value}`, says }));
  call.io.stdout.write([...candidates, ...whole].map(lineOf).join(''));
}

async function patiently(
  call: Invocation,
  given: ReadonlyMap<string, string>,
  look: Parameters<typeof withClient<Candidate[]>>[1],
): Promise<Candidate[]> {
  // The server and the configuration that the command line names so far.
  const flags = {
    ...call.flags,
    text: (name: string) => given.get(name) ?? call.flags.text(name),
    milliseconds: (name: string) => (name === 'timeout' ? PATIENCE_MS : call.flags.milliseconds(name)),
  };
  try {
    return await withClient({ ...call, flags }, look);
  } catch {
    return [];
  }
}

function lineOf({ value, says }: Candidate): string {
  return says === '' ? `${cleanLine(value)}\n` : `${cleanLine(value)}\t${cleanLine(says)}\n`;
}
