import { isNothing } from '../../core/change-hint.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { ChangeHint } from '../../core/ports/store.ts';
import type { SimulatedData } from './data.ts';

type Ended = 'closed' | 'crashed';

/** One process's hold on the data. */
export type Handle = {
  readonly exclusive: boolean;
  readonly tell: (hint: ChangeHint) => void;
  /** Waits, and comes back only if the process still runs; what a closed handle is asked for is refused. */
  alive(until?: void | Promise<void>): Promise<void>;
  release(how: Ended): void;
};

const handlesOf = new WeakMap<SimulatedData, Set<Handle>>();

/** A file can be held by one process, a server by many. */
export function hold(data: SimulatedData, exclusive: boolean, tell: Handle['tell']): Handle {
  const handles = handlesOf.get(data) ?? new Set<Handle>();
  handlesOf.set(data, handles);
  if ([...handles].some((other) => exclusive || other.exclusive)) {
    throw new GleitzeitError('GLZ3002', 'the simulated store is held by another process', {
      hint: 'close or crash the other handle first',
    });
  }
  let ended: Ended | null = null;
  const handle: Handle = {
    exclusive,
    tell,
    async alive(until) {
      await until;
      if (ended === 'crashed') await new Promise<never>(() => {});
      if (ended === 'closed') throw new GleitzeitError('GLZ3001', 'the store is closed');
    },
    release(how) {
      ended ??= how;
      handles.delete(handle);
    },
  };
  handles.add(handle);
  return handle;
}

export function tellOthers(data: SimulatedData, from: Handle, hint: ChangeHint): void {
  if (isNothing(hint)) return;
  for (const handle of handlesOf.get(data) ?? []) if (handle !== from) handle.tell(hint);
}
