import { relative, resolve } from 'node:path';
import { type DbStatus, dbBackup, dbMigrate, dbStatus, type MigrationName } from '../../main/db.ts';
import { loadServerConfig } from '../../main/load.ts';
import { details, type View } from '../output/table.ts';
import type { Invocation } from '../spec.ts';

/** Where the store is, who holds it, and how far its tables are. */
export async function status(call: Invocation): Promise<void> {
  const found = await dbStatus(await settings(call));
  await call.io.emit(found, { table: (view) => statusText(found, view), names: [found.place] });
}

/** Brings the tables to the newest version. */
export async function migrate(call: Invocation): Promise<void> {
  const { io, flags } = call;
  const config = await settings(call);
  const dry_run = flags.is('dry-run');
  const migrations = dry_run ? (await dbStatus(config)).pending : await dbMigrate(config);
  const done = { dry_run, migrations };
  const names = migrations.map(nameOf);
  await io.emit(done, { table: () => names.map((name) => `${name}\n`).join(''), names });
  if (migrations.length === 0) io.say('The tables are up to date.');
  else io.say(dry_run ? 'These would be applied.' : 'These were applied.');
}

/** Copies the store into a file while it is in use. */
export async function backup(call: Invocation): Promise<void> {
  const { io, cwd } = call;
  const [named = ''] = call.arguments;
  const file = resolve(cwd, named);
  const { size_bytes } = await dbBackup(await settings(call), file);
  await io.emit({ file, size_bytes }, { table: () => `${relative(cwd, file)}\n`, names: [file] });
  io.say(
    'The key for secrets (secret.key beside the store) is not part of it: keep a copy of that in another place.',
  );
}

/** The store that servers use: DATABASE_URL counts here. */
function settings({ flags, env, cwd }: Invocation) {
  return loadServerConfig({ file: flags.text('config') ?? null, env, cwd, database_url: true });
}

function statusText(
  { type, place, exists, size_bytes, holder, applied, pending }: DbStatus,
  view: View,
): string {
  const at = holder?.address == null ? '' : ` at ${holder.address}`;
  return details(
    [
      ['Store', `${type} ${place}`],
      ['Size', size_bytes === null || !exists ? null : `${size_bytes} bytes`],
      ['Held by', holder === null ? (exists ? 'nobody' : null) : `process ${holder.pid}${at}`],
      ['Tables', applied.length === 0 ? 'not there yet' : nameOf(applied.at(-1) ?? { version: 0, name: '' })],
      ['To apply', pending.map(nameOf).join(', '), 'yellow'],
    ],
    view,
  );
}

function nameOf({ version, name }: MigrationName): string {
  return `${version} ${name}`;
}
