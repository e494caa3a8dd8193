import { type Config, listenerLimits } from '../config.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Gleitzeit } from '../embedded/gleitzeit.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { webClient } from '../rpc/http/client.ts';
import { createListener } from '../rpc/listener/listener.ts';
import type { GetRoute } from '../rpc/listener/route.ts';
import { addressGuard } from '../rpc/network/guard.ts';
import type { Carrier } from '../zone/carrier.ts';
import { slackChat } from '../zone/gateway/chat.ts';
import { tellOfGivenUp } from '../zone/gateway/given-up.ts';
import { askingMethods, postingMethods } from '../zone/gateway/methods.ts';
import { askingProtocol, postingProtocol } from '../zone/gateway/protocol.ts';
import { LONGEST_REPLY } from '../zone/gateway/slack/reply-text.ts';
import { type Inbox, webhookRoute } from '../zone/gateway/webhook.ts';
import { type Authorise, allowOnly } from '../zone/verification/authorise.ts';
import { RateLimits } from '../zone/verification/rate-limits.ts';
import { type Sentences, sentences } from '../zone/verification/sentences.ts';
import { VerificationZone } from '../zone/verification/zone.ts';
import { createGleitzeit } from './embedded.ts';
import { openLog } from './log.ts';
import { Opened } from './opened.ts';
import { checkPair, readPem } from './pem.ts';
import { openStore, placeOf } from './store.ts';
import { openCarrier } from './zone-carriers.ts';

export type GatewayOptions = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Instead of the one that the configuration names. */
  readonly carrier?: Carrier;
  /** Asked besides the lists of the configuration before anything leaves. */
  readonly authorise?: readonly Authorise[];
  /** Instead of the log of the configuration. */
  readonly logger?: Logger;
};

export type Gateway = {
  /** Where the chat sends to. */
  readonly url: string;
  readonly logger: Logger;
  /** Takes no more, waits for what is under way until the deadline; the rest goes on after the next start. */
  stop(): Promise<void>;
};

type Settings = NonNullable<Config['zone']['gateway']>;
type Surroundings = {
  readonly config: Config;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly opened: Opened;
};

/** Composes a gateway. Whatever fails on the way, nothing that was opened stays open. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, environment } = options;
  const settings = settingsOf(config);
  const logger = options.logger ?? openLog(config).logger;
  for (const warning of config.warnings) logger.warn(warning);
  const opened = new Opened();
  const surroundings = { config, settings, logger, opened };
  try {
    const carrier =
      options.carrier ??
      (await openCarrier(settings.carrier, {
        ...{ folder: config.folder, environment, logger },
        // Each question has one request under way: none stands behind the polls of others.
        connections: settings.concurrency,
      }));
    opened.add(() => carrier.close());
    const engine = await openEngine(surroundings, carrier, options.authorise ?? []);
    const url = await listen(surroundings, engine);
    logger.info('takes messages', { url: `${url}${settings.path}`, carrier: carrier.name });
    return { url: `${url}${settings.path}`, logger, stop: () => opened.close(settings.stop_timeout * 1000) };
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

function settingsOf({ zone }: Config): Settings {
  if (zone.gateway !== undefined) return zone.gateway;
  throw new GleitzeitError('GLZ1012', 'the configuration says nothing of a gateway', {
    field: 'zone.gateway',
    hint: 'add zone.gateway with signing_secret, bot_token and carrier; docs/how-to/zone-gateway.md shows one',
  });
}

/** An engine of its own keeps what came, and goes on with it after a restart. */
async function openEngine(
  { config, settings, logger, opened }: Surroundings,
  carrier: Carrier,
  authorise: readonly Authorise[],
): Promise<Gleitzeit> {
  const { bot_token, chat, store, concurrency, stop_timeout } = settings;
  const random = systemRandom();
  const zone = new VerificationZone({
    ...{ carrier, authorise, clock: systemClock, timers: systemTimers, random, logger },
    options: verificationOptions(settings),
  });
  const client = webClient({ url: chat.url, guard: addressGuard({ allow: config.network.allow }) });
  opened.add(() => client.close());
  const posting = slackChat({ client, url: chat.url, bot_token, clock: systemClock });
  const parts = { sentences: sentencesOf(settings), clock: systemClock, timers: systemTimers, logger };
  const times = { within_ms: chat.within * 1000, started_at: systemClock.wall() };
  // What is given up while it starts is told of, too.
  const cursor = await lastEvent(store.path, logger);
  const engine = await createGleitzeit({
    store: { type: 'sqlite', path: store.path },
    protocols: [askingProtocol, postingProtocol],
    providers: [
      { id: 'zone', protocol: askingProtocol.name, methods: askingMethods({ ...parts, zone }) },
      {
        id: 'chat',
        protocol: postingProtocol.name,
        methods: postingMethods({ ...parts, posting: times, chat: posting }),
      },
    ],
    ...{ concurrency, retention_days: store.days, logger },
  });
  opened.add((deadline_ms) => engine.stop({ deadline_ms: Math.min(deadline_ms, stop_timeout * 1000) }));
  // Ends with the engine.
  const failures = engine.events({ cursor, events: ['task:failed'] });
  void tellOfGivenUp({ failures, task: (task_id) => engine.task(task_id), logger }).catch((thrown) =>
    logger.error('failures are not told of any more', { error: GleitzeitError.from(thrown).message }),
  );
  return engine;
}

async function lastEvent(path: string, logger: Logger): Promise<number> {
  const store = await openStore(placeOf({ type: 'sqlite', path }), systemClock, logger, {
    same_thread: true,
  });
  try {
    return await store.reads.cursor();
  } finally {
    await store.close();
  }
}

function sentencesOf(settings: Settings): Sentences {
  return { ...sentences, ...settings.sentences };
}

function verificationOptions(settings: Settings) {
  const { bot_token, deadline, budget, limits, polling } = settings;
  return {
    ...{ bot_token, deadline_ms: deadline * 1000, budget_ms: Math.round(budget * 1000) },
    ...{ request_bytes: limits.request, longest_reply: LONGEST_REPLY },
    backoff: { first_ms: polling.first * 1000, longest_ms: polling.longest * 1000 },
    sentences: sentencesOf(settings),
  };
}

async function listen(
  { config, settings, logger, opened }: Surroundings,
  engine: Gleitzeit,
): Promise<string> {
  const { host, port, tls, limits } = settings;
  const { allowed_hosts, allowed_origins } = config.server;
  const listener = createListener({
    ...{ on: { host, port }, allowed_hosts, allowed_origins, logger },
    limits: { ...listenerLimits(config.server.limits), body_bytes: limits.body },
    ...{ clock: systemClock, timers: systemTimers },
    // Nobody has a key here: the chat signs what it sends.
    authenticate: () => null,
    ...(tls === undefined ? {} : { tls: certificateOf(tls) }),
  });
  listener.mount(webhook({ settings, logger }, engine));
  for (const route of healthRoutes) listener.mount(route);
  opened.add(async (deadline_ms) => {
    await listener.quiet();
    await listener.stop(deadline_ms);
  });
  return (await listener.start()).url;
}

function webhook({ settings, logger }: Pick<Surroundings, 'settings' | 'logger'>, engine: Gleitzeit) {
  const { path, signing_secret, bot_token, events, deadline, chat, limits, allow } = settings;
  const rate = ({ requests, per }: { requests: number; per: number }) => ({ requests, per_ms: per * 1000 });
  const times = { deadline_ms: deadline * 1000, post_within_ms: chat.within * 1000 };
  return webhookRoute({
    ...{ inbox: inboxOf(engine), allowed: allowOnly(allow), clock: systemClock, logger },
    limits: new RateLimits({ per_user: rate(limits.per_user), per_channel: rate(limits.per_channel) }),
    options: { path, signing_secret, bot_token, events, sentences: sentencesOf(settings), ...times },
  });
}

/** Two deliveries of one message differ in when they came, so the engine tells the second by its name. */
function inboxOf(engine: Gleitzeit): Inbox {
  return {
    knows: (workflow_id) => engine.workflow(workflow_id).then(() => true, unless('GLZ1010', false)),
    take: ({ workflow, input, idempotency_key }) =>
      engine
        .submitWorkflow(workflow, { input, idempotency_key })
        .then(() => 'taken' as const, unless('GLZ1009', 'known' as const)),
  };
}

function unless<Value>(code: ErrorCode, value: Value): (thrown: unknown) => Value {
  return (thrown) => {
    if (GleitzeitError.from(thrown).code === code) return value;
    throw thrown;
  };
}

function certificateOf({ cert, key }: { cert: string; key: string }) {
  const pair = {
    cert: readPem(cert, 'zone.gateway.tls.cert', 'cert'),
    key: readPem(key, 'zone.gateway.tls.key', 'key'),
  };
  checkPair(pair, key, 'zone.gateway.tls.key');
  return pair;
}

const ok = (status: string) => ({
  ...{ status: 200, type: 'application/json', body: JSON.stringify({ status }) },
});
const healthRoutes: readonly GetRoute[] = [
  { kind: 'get', path: '/health', access: 'open', answer: () => ok('ok') },
  { kind: 'get', path: '/ready', access: 'open', when_quiet: 'refused', answer: () => ok('ready') },
];
