import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { Store } from '../core/ports/store.ts';
import type { Engine } from '../engine/engine.ts';

/** Long enough for a store that is away for a moment; whoever starts a program wants to hear why it does not. */
const PATIENCE_MS = 10_000;

export type StartParts = {
  readonly engine: Engine;
  readonly store: Pick<Store, 'close'>;
  readonly providers: readonly Pick<Provider, 'id' | 'protocol'>[];
  readonly timers: Timers;
  /** False for one that leaves all tasks to others. */
  readonly works?: boolean;
};

/** Starts, or leaves nothing behind: timers and threads that stay would keep the process from ending. */
export async function startOrClose(parts: StartParts): Promise<void> {
  const { promise: timeUp, reject } = Promise.withResolvers<never>();
  const cancel = parts.timers.after(PATIENCE_MS, () => reject(parts.engine.trouble ?? silent()));
  try {
    await Promise.race([start(parts), timeUp]);
  } catch (thrown) {
    await parts.engine.stop(0);
    // Why it did not start is the news, not that the closing failed too.
    await parts.store.close().catch(() => {});
    throw thrown;
  } finally {
    cancel();
  }
}

async function start({ engine, providers, works = true }: StartParts): Promise<void> {
  await engine.start({ works });
  for (const { id, protocol } of providers) {
    await engine.announce({ event: 'provider:connected', data: { provider: id, protocol } });
  }
}

function silent(): GleitzeitError {
  return new GleitzeitError('GLZ3001', `the store took no commit within ${PATIENCE_MS / 1000} s`, {
    hint: 'see whether the database or the disk of the store answers at all',
  });
}
