import type { Provider } from '../core/ports/provider.ts';
import type { Store } from '../core/ports/store.ts';
import type { Engine } from '../engine/engine.ts';

type Connected = Pick<Provider, 'id' | 'protocol'>;

/** Starts, or leaves nothing behind: timers and threads that stay would keep the process from ending. */
export async function startOrClose(
  engine: Engine,
  store: Pick<Store, 'close'>,
  providers: readonly Connected[],
): Promise<void> {
  try {
    await engine.start();
    for (const { id, protocol } of providers) {
      await engine.announce({ event: 'provider:connected', data: { provider: id, protocol } });
    }
  } catch (thrown) {
    await engine.stop(0);
    // Why it did not start is the news, not that the closing failed too.
    await store.close().catch(() => {});
    throw thrown;
  }
}
