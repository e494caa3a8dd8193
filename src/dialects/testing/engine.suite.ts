import type { Dispatch } from '../../core/ports/dispatch.ts';
import type { Observer } from '../../core/ports/observer.ts';
import type { Store } from '../../core/ports/store.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultOptions, Engine } from '../../engine/engine.ts';
import { createProtocols } from '../../registry/protocols.ts';
import type { CallObserver } from '../../router/connection.ts';
import { localDispatch } from '../../router/local-dispatch.ts';
import { Pools } from '../../router/pools.ts';
import { createCipher } from '../../store/cipher.ts';
import { hashText } from '../../store/hash.ts';
import { SimulatedData } from '../../store/simulated/data.ts';
import { openSimulatedStore } from '../../store/simulated/store.ts';
import { lineLogger } from '../../telemetry/logger.ts';

const logger = lineLogger(
  'silent',
  () => {},
  () => new Date(),
);

export type EngineWishes = {
  readonly observer?: Observer;
  readonly observe?: CallObserver;
  readonly dispatch?: Dispatch;
};

export type RunningEngine = {
  readonly engine: Engine;
  readonly pools: Pools;
  readonly store: Store;
  stop(): Promise<void>;
};

/** An engine in this process, in real time, whose providers come and go. Its protocol is `act/v1`. */
export async function startEngine({
  observer,
  observe,
  dispatch,
}: EngineWishes = {}): Promise<RunningEngine> {
  const protocols = createProtocols();
  protocols.register(parseProtocol({ name: 'act/v1', methods: { act: {} } }));
  const pools = new Pools({ clock: systemClock, timers: systemTimers, logger, observe });
  const data = new SimulatedData();
  const store = openSimulatedStore({ data, clock: systemClock.wall, exclusive: true, faults: {} });
  const engine = new Engine({
    store,
    schemas: protocols,
    router: pools,
    dispatch: dispatch ?? localDispatch,
    cipher: createCipher(() => [Buffer.alloc(32, 7)]),
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom(),
    logger,
    ...(observer === undefined ? {} : { observer }),
    hash: hashText,
    // A minute without a look by itself: whatever happens here happens because somebody said so.
    options: { ...defaultOptions, poll_ms: 60_000 },
  });
  await engine.start();
  const stop = async () => {
    await engine.stop(0);
    await pools.stop();
  };
  return { engine, pools, store, stop };
}
