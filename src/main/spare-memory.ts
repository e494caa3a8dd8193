import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemTimers } from '../embedded/system.ts';
import type { Opened } from './opened.ts';

/** By then what was loaded has settled. */
const SETTLED_MS = 1000;

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/**
 * Reading a few hundred modules leaves garbage behind, a tenth of all the memory a server has, which nobody collects while
 * it idles. It is given back once. V8 offers that to whoever asks before the context is made, so a new one is made for it.
 */
export function spareMemory(opened: Opened): void {
  const cancel = systemTimers.after(SETTLED_MS, () => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as Collect)({ type: 'major', flavor: 'last-resort' });
    setFlagsFromString('--no-expose-gc');
  });
  opened.add(cancel);
}
