import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { type DbStatus, dbStatus } from '../db.ts';
import { placeOf } from '../store.ts';
import { type Finding, findings } from './finding.ts';

const store = findings('store');
const disk = findings('disk');
const clock = findings('clock');

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** A larger file takes too long to be read as a whole just to have a look. */
const LARGE = 2 * GIB;

/** Whether the store opens, is up to date and sound, and who holds it. */
export async function checkStore(config: Config): Promise<Finding[]> {
  try {
    const status = await dbStatus(config);
    const found = [placeOfStore(status), ...holderOf(status), ...migrationsOf(status)];
    if (status.type === 'sqlite') found.push(...writable(status.place), ...(await integrity(status)));
    return found;
  } catch (thrown) {
    return [asProblem(thrown)];
  }
}

function placeOfStore({ type, place, exists, size_bytes }: DbStatus): Finding {
  if (!exists) return store.ok(`${place} is not there yet and is made with the first run`);
  return store.ok(type === 'sqlite' ? `${place}, ${sizeText(size_bytes ?? 0)}` : `${place} answers`);
}

function holderOf({ holder }: DbStatus): Finding[] {
  if (holder === null) return [];
  const { pid, started_at, address } = holder;
  const where = address === null ? 'and says no address' : `at ${address}`;
  return [store.ok(`held by process ${pid} since ${started_at} ${where}; commands go there by themselves`)];
}

function migrationsOf({ exists, applied, pending }: DbStatus): Finding[] {
  if (!exists) return [];
  const newest = applied.at(-1);
  if (pending.length === 0)
    return [store.ok(`tables are up to date (${newest?.version ?? 0} ${newest?.name ?? ''})`)];
  const names = pending.map(({ version, name }) => `${version} ${name}`).join(', ');
  return [
    store.warning(`tables are not up to date: ${names}`, 'gleitzeit db migrate, or the next start does it'),
  ];
}

function writable(path: string): Finding[] {
  const target = existsSync(path) ? path : nearestFolder(path);
  if (target !== path && !statSync(target).isDirectory())
    return [
      store.problem(
        `${target} is a file, where the folder of the store belongs`,
        'move it away, or set another store path',
      ),
    ];
  try {
    accessSync(target, constants.W_OK);
  } catch {
    return [
      store.problem(`${target} cannot be written`, 'change its owner or mode, or set another store path'),
    ];
  }
  const mode = existsSync(path) && process.platform !== 'win32' ? statSync(path).mode & 0o077 : 0;
  return mode === 0
    ? []
    : [store.warning(`${path} can be read by others than its owner`, `chmod 600 ${path}`)];
}

async function integrity({ exists, place, size_bytes }: DbStatus): Promise<Finding[]> {
  if (!exists) return [];
  if ((size_bytes ?? 0) > LARGE) return [store.ok('too large to be checked as a whole here')];
  const { checkIntegrity } = await import('../../store/sqlite/inspect.ts');
  const damage = checkIntegrity(place);
  if (damage.length === 0) return [store.ok('the file is sound')];
  return [
    store.problem(`the file is damaged: ${damage[0]}`, 'stop everything that uses it and restore a backup'),
  ];
}

/** Room for the store to grow. */
export function checkDisk(config: Config): Finding[] {
  const where = placeOf(config.store);
  if (where.type !== 'sqlite') return [];
  const { bavail, bsize } = statfsSync(nearestFolder(where.path));
  const free = bavail * bsize;
  const text = `${sizeText(free)} free for ${where.path}`;
  if (free < 100 * MIB) return [disk.problem(text, 'make room: a store that cannot grow takes nothing more')];
  return [free < GIB ? disk.warning(text, 'make room soon') : disk.ok(text)];
}

const SKEW_MS = 1000;

/** Engines that share a server go by its clock, people by their own. */
export async function checkClock(config: Config): Promise<Finding[]> {
  if (placeOf(config.store).type !== 'postgres') return [];
  try {
    const { clock_ahead_ms } = await dbStatus(config);
    const ahead = clock_ahead_ms ?? 0;
    const text = `the clock of the server is ${Math.abs(ahead) / 1000} s ${ahead < 0 ? 'behind' : 'ahead'}`;
    return [
      Math.abs(ahead) < SKEW_MS
        ? clock.ok(text)
        : clock.warning(text, 'set both clocks by NTP: times shown to people differ'),
    ];
  } catch (thrown) {
    return [clock.problem(GleitzeitError.from(thrown).message, 'see the store')];
  }
}

export function nearestFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? folder : nearestFolder(folder);
}

function asProblem(thrown: unknown): Finding {
  const { message, details } = GleitzeitError.from(thrown);
  const { reason = '', hint = null } = details;
  return store.problem(message.includes(reason) ? message : `${message}: ${reason}`, hint);
}

export function sizeText(bytes: number): string {
  if (bytes >= GIB) return `${(bytes / GIB).toFixed(1)} GiB`;
  return bytes >= MIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;
}
