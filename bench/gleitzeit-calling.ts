import type { Provider } from '../src/core/ports/provider.ts';
import { parseProtocol } from '../src/core/protocol.ts';
import { createProvider } from '../src/dialects/registry.ts';
import { Gleitzeit } from '../src/embedded/gleitzeit.ts';
import { systemClock, systemRandom, systemTimers } from '../src/embedded/system.ts';
import { defaultOptions, Engine } from '../src/engine/engine.ts';
import type { StoreOptions } from '../src/index.ts';
import { channelFactories } from '../src/main/channels.ts';
import { openStore, optionsFor, placeOf, readKeys } from '../src/main/store.ts';
import { createProtocols } from '../src/registry/protocols.ts';
import { localDispatch } from '../src/router/local-dispatch.ts';
import { Pools } from '../src/router/pools.ts';
import { createCipher } from '../src/store/cipher.ts';
import { hashText } from '../src/store/hash.ts';
import { lineLogger } from '../src/telemetry/logger.ts';
import { type Bench, PROTOCOL } from './gleitzeit.ts';

/** The engine in this process, as a server composes it: its provider is described by a configuration. */
export function openCalling(
  options: StoreOptions,
  onStart: (key: string) => void,
  agent: string,
): Promise<Bench> {
  return openPooled(options, (router) => {
    const provider = providerAt('agent', agent);
    router.connect({
      ...provider,
      call: (call) => {
        onStart(String(call.params['key']));
        return provider.call(call);
      },
    });
  });
}

/** With whatever providers and limits `arrange` puts in place. */
export async function openPooled(
  options: StoreOptions,
  arrange: (router: Pools) => void,
  { concurrency = defaultOptions.concurrency } = {},
): Promise<Bench> {
  const where = placeOf(options);
  const protocols = createProtocols();
  protocols.register(parseProtocol(PROTOCOL));
  protocols.register(parseProtocol(OTHER));
  const router = new Pools({ clock: systemClock, timers: systemTimers, logger });
  arrange(router);
  const store = await openStore(where, systemClock, logger);
  const engine = new Engine({
    store,
    schemas: protocols,
    router,
    dispatch: localDispatch,
    cipher: createCipher(() => readKeys(where)),
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom(),
    logger,
    hash: hashText,
    options: { ...defaultOptions, ...optionsFor(where), concurrency },
  });
  await engine.start();
  const close = async () => {
    await router.stop();
    await store.close();
  };
  return new Gleitzeit({ engine, store, router, close });
}

const logger = lineLogger(
  'error',
  (line) => process.stderr.write(line),
  () => new Date(),
);

/** The same work under another name, so that there are two queues. */
export const OTHER = { ...PROTOCOL, name: 'other/v1' } as const;

export function providerAt(id: string, url: string): Provider {
  const spec = { id, protocol: PROTOCOL.name, type: 'jsonrpc-http', config: { url } };
  return createProvider(spec, {
    channels: channelFactories({ logger, folder: '.', environment: {} }),
    secrets: (name) => name,
    timers: systemTimers,
    clock: systemClock,
    methods: Object.keys(PROTOCOL.methods),
  });
}
