// Two npm scripts started at once must not install over each other. The lock lives outside node_modules, which `npm ci` deletes.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const patience = 10 * 60_000;

export async function withInstallLock(folder, work) {
  const lock = join(folder, 'install.lock');
  mkdirSync(folder, { recursive: true });
  const deadline = Date.now() + patience;
  while (!take(lock)) {
    if (isAbandoned(lock)) clearAbandoned(lock);
    if (Date.now() > deadline)
      throw new Error(`Another installation holds ${lock}; remove it if none is running.`);
    await pause(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'EPERM') return false;
    throw error;
  }
}

function isAbandoned(lock) {
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // Between creating the file and writing the number it is empty, for an instant.
    if (!holder) return Date.now() - statSync(lock).mtimeMs > 10_000;
    return !isAlive(holder);
  } catch {
    return false;
  }
}

/** Of two that find a lock abandoned, the second must not remove the one the first has taken since. */
function clearAbandoned(lock) {
  const guard = `${lock}.clearing`;
  if (take(guard)) {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    rmSync(guard, { force: true });
  } else if (isAbandoned(guard)) {
    rmSync(guard, { force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
