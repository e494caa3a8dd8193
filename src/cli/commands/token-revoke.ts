import { realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import { removeItem } from '../../files/remove-item.ts';
import { loadSettings } from '../settings.ts';
import type { Invocation } from '../spec.ts';
import { keysOf } from './token-list.ts';

/** Takes a key out of the configuration file, and leaves everything else in it as it stands. */
export async function tokenRevoke(call: Invocation): Promise<void> {
  const [name = ''] = call.arguments;
  const config = await loadSettings(call);
  const keys = keysOf(config);
  const index = keys.findIndex((key) => key.name === name);
  if (index === -1) throw noKey(name, keys);
  const { file } = config;
  const { source = '', role = '' } = keys[index] ?? {};
  if (file === null || source.startsWith('env ')) throw notInFile(name, source);
  if (keys.length === 1 && !call.flags.is('force')) throw lastKey(name);
  const text = removeItem(await readFile(file, 'utf8'), ['server', 'keys', index]);
  await checkText(call, text);
  replace(file, text);
  const told = { name, role, file };
  await call.io.emit(told, { table: () => `revoked ${name} (${role}) in ${file}\n`, names: [name] });
  call.io.say(
    'A server that runs with this file reads it again by itself, and refuses the key from then on.',
  );
}

/** Only what a server would take is written. */
async function checkText(call: Invocation, text: string): Promise<void> {
  try {
    await loadSettings(call, text);
  } catch (thrown) {
    throw new GleitzeitError('GLZ1011', 'without this key the configuration would be refused', {
      field: 'name',
      reason: GleitzeitError.from(thrown).message,
      hint: 'add another key first: gleitzeit token create',
    });
  }
}

/** As a whole or not at all, readable by nobody who could not read it before. A link stays, and leads to the new text. */
function replace(file: string, text: string): void {
  const target = realpathSync(file);
  const next = `${target}.new`;
  writeFileSync(next, text, { mode: statSync(target).mode });
  renameSync(next, target);
}

function lastKey(name: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `"${name}" is the only key`, {
    field: 'name',
    reason: 'a server that starts without keys takes whoever reaches it on loopback for its admin',
    hint: 'add another key first: gleitzeit token create; --force takes the last one out all the same',
  });
}

function noKey(name: string, keys: readonly { name: string }[]): GleitzeitError {
  const known = keys.map((key) => key.name);
  return new GleitzeitError('GLZ1010', `there is no key "${name}" in the configuration`, {
    field: 'name',
    hint: known.length === 0 ? 'it has none' : didYouMean(name, known, 'keys'),
  });
}

function notInFile(name: string, source: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `the key "${name}" does not stand in a file`, {
    field: 'name',
    reason: `it comes from ${source}`,
    hint: 'take it out there, and start the server again',
  });
}
