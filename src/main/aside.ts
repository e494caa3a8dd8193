import { AsideBroker, timeOf } from '../bridge/aside/broker.ts';
import type { AsidePlace } from '../bridge/aside/place.ts';
import type { Broker } from '../bridge/broker.ts';
import type { Config } from '../config.ts';
import { errorFromRpc, GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { Opened } from './opened.ts';

const COLLECTION = 'messages';
/** What nobody has come for is looked for this often, so many at a time: each may be large. */
const SWEEP_MS = 3_600_000;
const AT_ONCE = 8;
/** No call runs for longer, nor waits to be heard of, after `dispatch.wait`. */
const SLACK_MS = 24 * 3_600_000;

type SharedStore = Pick<Store, 'commit' | 'reads'>;

/** What is too large for the broker lies in the store that engines and bridges share. */
export function withAside(broker: Broker, store: SharedStore, logger: Logger): Broker {
  const place = placeIn(store);
  return new AsideBroker({ broker, place, logger, timers: systemTimers, now: () => systemClock.wall() });
}

function placeIn(store: SharedStore): AsidePlace {
  return {
    put: (key, text) => write(store, { kind: 'put_document', collection: COLLECTION, key, text, expect: 0 }),
    get: async (key) => (await store.reads.document(COLLECTION, key))?.text ?? null,
    remove: (key) => write(store, { kind: 'delete_document', collection: COLLECTION, key, expect: null }),
  };
}

type Written = Parameters<Store['commit']>[0]['writes'][number];

async function write(store: SharedStore, one: Written): Promise<void> {
  const { verdicts } = await store.commit({ writes: [one], claim: null });
  const [verdict] = verdicts;
  if (verdict?.ok === false) throw errorFromRpc(verdict.error);
}

/** From time to time removes what was put aside for messages that nobody can be waiting for any more. */
export function sweepAside(
  config: Config,
  store: SharedStore,
  { logger, opened }: { logger: Logger; opened: Opened },
): void {
  const timer = setInterval(() => void sweepOnce(config, store, logger), SWEEP_MS);
  timer.unref();
  opened.add(() => clearInterval(timer));
}

export async function sweepOnce({ dispatch }: Config, store: SharedStore, logger: Logger): Promise<number> {
  const before = timeOf(systemClock.wall() - dispatch.wait * 1000 - SLACK_MS);
  let removed = 0;
  try {
    for (;;) {
      const { items } = await store.reads.documents(COLLECTION, { limit: AT_ONCE });
      const old = items.filter(({ key }) => key < before);
      for (const { key } of old) await placeIn(store).remove(key);
      removed += old.length;
      if (old.length < AT_ONCE) return removed;
    }
  } catch (thrown) {
    logger.debug('what was put aside could not be swept', { error: GleitzeitError.from(thrown).message });
    return removed;
  }
}
