import { GleitzeitError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Provider } from '../core/ports/provider.ts';
import { parseProtocol } from '../core/protocol.ts';
import { didYouMean } from '../core/suggest.ts';
import { type Functions, functionProvider } from '../dialects/function/provider.ts';
import { checkOptions } from '../embedded/check-options.ts';
import { Gleitzeit } from '../embedded/gleitzeit.ts';
import type { GleitzeitOptions } from '../embedded/options.ts';
import {
  type ProtocolPoolOptions,
  protocolPoolWords,
  providerPoolWords,
  wordsIn,
} from '../embedded/pool-options.ts';
import { startOrClose } from '../embedded/start.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { defaultOptions, Engine } from '../engine/engine.ts';
import { createProtocols, type Protocols } from '../registry/protocols.ts';
import type { ProtocolInput } from '../registry/typed.ts';
import { localDispatch } from '../router/local-dispatch.ts';
import { createRouter } from '../router/router.ts';
import { createCipher, parseKey } from '../store/cipher.ts';
import { hashText } from '../store/hash.ts';
import { lineLogger } from '../telemetry/logger.ts';
import { openStore, optionsFor, placeOf, readKeys } from './store.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Composes what runs inside a program of the user's. */
export async function createGleitzeit<const P extends ProtocolInput>(
  options: GleitzeitOptions<P>,
): Promise<Gleitzeit<P>> {
  checkOptions(options);
  const protocols = registerAll(options.protocols);
  const providers = options.providers.map((provider, index) =>
    connect(provider, `providers[${index}]`, protocols),
  );
  // What pools need is loaded where there are some.
  const openPools = saysOfPools(options)
    ? (await import('./embedded-pools.ts')).preparePools(options, protocols)
    : undefined;
  const givenKeys = options.secret_keys?.map(readGivenKey);
  const logger =
    options.logger ??
    lineLogger(
      'warn',
      (line) => process.stderr.write(line),
      () => new Date(),
    );
  const where = placeOf(options.store ?? { type: 'sqlite' });
  const store = await openStore(where, systemClock, logger);
  const open = { exclusive: where.type === 'sqlite', store, protocols, logger, engine: () => engine };
  const pools = openPools?.(open);
  const router = pools?.router ?? createRouter(providers);
  const engine: Engine = new Engine({
    store,
    schemas: protocols,
    router,
    dispatch: localDispatch,
    cipher: createCipher(() => givenKeys ?? readKeys(where)),
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom(),
    logger,
    hash: hashText,
    options: {
      ...defaultOptions,
      ...optionsFor(where),
      concurrency: options.concurrency ?? defaultOptions.concurrency,
      lease_ttl_ms: options.lease_ttl_ms ?? defaultOptions.lease_ttl_ms,
      keep_ms:
        options.retention_days === undefined ? defaultOptions.keep_ms : options.retention_days * DAY_MS,
    },
  });
  const close = async () => {
    await pools?.close();
    await store.close();
  };
  const starting = pools === undefined ? providers : [];
  await startOrClose({ engine, store: { close }, providers: starting, timers: systemTimers });
  await pools?.connect(providers);
  return new Gleitzeit<P>({ engine, store, router, providers: pools?.control, close });
}

/** Without a word of them providers are taken in turn, and nothing is counted, which costs least. */
function saysOfPools({
  protocols,
  providers,
}: {
  protocols: readonly object[];
  providers: readonly object[];
}) {
  const isSaid = (words: readonly string[]) => (given: object) =>
    Object.keys(wordsIn(given, words)).length > 0;
  return protocols.some(isSaid(protocolPoolWords)) || providers.some(isSaid(providerPoolWords));
}

/** Without what is said of its pool. */
function definitionIn(given: ProtocolInput & ProtocolPoolOptions): ProtocolInput {
  if (!isObject(given)) return given;
  const { pool: _, limits: _limits, ...definition } = given;
  return definition;
}

function registerAll(definitions: readonly ProtocolInput[]): Protocols {
  const protocols = createProtocols();
  definitions.forEach((given, index) => {
    const definition = parseProtocol(definitionIn(given));
    if (protocols.has(definition.name)) {
      throw new GleitzeitError('GLZ1012', `the protocol "${definition.name}" is defined twice`, {
        field: `protocols[${index}].name`,
        hint: 'give a changed protocol a new version: its name ends in it',
      });
    }
    protocols.register(definition);
  });
  return protocols;
}

type ProviderOptions = { readonly id: string; readonly protocol: string; readonly methods: object };

function connect(provider: ProviderOptions, at: string, protocols: Protocols): Provider {
  const { id, protocol, methods } = provider;
  const definition = protocols.get(protocol);
  const names = protocols.list().map(({ name }) => name);
  if (definition === undefined)
    throw notDefined('protocol', protocol, { field: `${at}.protocol`, known: names });
  const known = Object.keys(definition.methods);
  for (const method of Object.keys(methods)) {
    if (!known.includes(method))
      throw notDefined('method', method, { field: `${at}.methods.${method}`, known });
  }
  return functionProvider({ id, protocol, methods: methods as Functions });
}

function notDefined(
  what: string,
  name: string,
  { field, known }: { field: string; known: readonly string[] },
): GleitzeitError {
  return new GleitzeitError('GLZ1012', `a provider names the ${what} "${name}", which is not defined`, {
    field,
    hint: didYouMean(name, known),
  });
}

/** At once, not at the first secret: a key that cannot be used is a mistake in the options. */
function readGivenKey(key: string, index: number): Buffer {
  const field = `secret_keys[${index}]`;
  try {
    return parseKey(key, field);
  } catch (thrown) {
    const { code, message, details } = GleitzeitError.from(thrown);
    throw new GleitzeitError(code, message, { ...details, field });
  }
}
