import { join } from 'node:path';
import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { invalidOption, readOptions, requireNumber, requireText } from '../engine/check-options.ts';
import type { Carrier, Endpoint } from '../zone/carrier.ts';
import type { ServedEndpoint } from '../zone/carriers/serve.ts';
import { LONGEST_REPLY } from '../zone/gateway/slack/reply-text.ts';
import type { Authorise } from '../zone/verification/authorise.ts';
import { type RateLimit, RateLimits } from '../zone/verification/rate-limits.ts';
import type { Asked } from '../zone/verification/request.ts';
import { type Sentences, sentences } from '../zone/verification/sentences.ts';
import { type Memory, type Reply, VerificationZone } from '../zone/verification/zone.ts';
import { loadServerConfig } from './load.ts';
import { openLog } from './log.ts';
import { Opened } from './opened.ts';
import { startGateway } from './zone-gateway.ts';
import { openZoneHere } from './zone-here.ts';
import { type GivenLogger, warnings } from './zone-program-carriers.ts';

export type VerificationZoneOptions = GivenLogger & {
  readonly carrier: Carrier;
  /** What the other zone is told to post with, where it does. It reaches neither replies nor the log. */
  readonly bot_token: string;
  /** Asked one after the other before anything leaves: the first that does not allow it decides. */
  readonly authorise?: readonly Authorise[];
  /** How much one user may ask in so long, and how much may be asked in one channel; any number unless told. */
  readonly per_user?: RateLimit;
  readonly per_channel?: RateLimit;
  /** How long a question may take from its `received_at` on; ten minutes unless told. */
  readonly deadline_ms?: number;
  /** How long one request waits at the other zone; 5,000 unless told. */
  readonly budget_ms?: number;
  /** What a request may measure; 256 KiB unless told. */
  readonly request_bytes?: number;
  /** What a reply may measure, in UTF-16 units; 40,000 unless told. */
  readonly longest_reply?: number;
  /** What people are told instead of the usual sentences. */
  readonly sentences?: Partial<Sentences>;
};

const numbers = {
  deadline_ms: { usual: 600_000, least: 1 },
  budget_ms: { usual: 5000, least: 0 },
  request_bytes: { usual: 256 * 1024, least: 1 },
  longest_reply: { usual: LONGEST_REPLY, least: 1 },
} as const;
const rates = ['per_user', 'per_channel'] as const;
const known = [...Object.keys(numbers), ...rates, 'carrier', 'bot_token', 'authorise', 'sentences', 'logger'];

/** Asks an execution zone: checks who may, sends under one id until there is an answer, polls for what takes longer. */
export function verificationZone(options: VerificationZoneOptions) {
  const given = readOptions(options, known);
  requireText('bot_token', given['bot_token']);
  if (typeof Object(given['carrier']).send !== 'function')
    throw invalidOption('carrier', 'must be a carrier');
  const number = (name: keyof typeof numbers) =>
    requireNumber(name, given[name] ?? numbers[name].usual, { least: numbers[name].least });
  const { carrier, bot_token, authorise = [], logger = warnings() } = options;
  const zone = new VerificationZone({
    ...{ carrier, authorise, logger, limits: limitsIn(given) },
    ...{ clock: systemClock, timers: systemTimers, random: systemRandom() },
    options: {
      ...{ bot_token, deadline_ms: number('deadline_ms'), budget_ms: number('budget_ms') },
      ...{ request_bytes: number('request_bytes'), longest_reply: number('longest_reply') },
      ...{
        backoff: { first_ms: 500, longest_ms: 15_000 },
        sentences: { ...sentences, ...options.sentences },
      },
    },
  });
  const { signal: never } = new AbortController();
  return {
    /** Rejects only where the signal aborts: everything else is something that may be said. */
    ask: (asked: Asked, memory: Partial<Memory> = {}): Promise<Reply> =>
      zone.ask(asked, { signal: never, ...memory }),
  };
}

function limitsIn(given: Readonly<Record<string, unknown>>): RateLimits {
  const [per_user, per_channel] = [rateIn(given, 'per_user'), rateIn(given, 'per_channel')];
  return new RateLimits({ per_user, per_channel });
}

function rateIn(given: Readonly<Record<string, unknown>>, name: (typeof rates)[number]): RateLimit {
  if (given[name] === undefined) return { requests: Number.POSITIVE_INFINITY, per_ms: 1 };
  const rate = readOptions(given[name], ['requests', 'per_ms'], { field: name });
  return {
    requests: requireNumber(`${name}.requests`, rate['requests'], { least: 1, integer: true }),
    per_ms: requireNumber(`${name}.per_ms`, rate['per_ms'], { least: 1 }),
  };
}

export type ZoneProgramOptions = GivenLogger & {
  /** A file of configuration, or what would stand in it. */
  readonly config: string | object;
  /** Where secrets of the configuration are looked for; the environment of this process unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
};

export type ExecutionZone = {
  /** For a carrier in this process: `carriers.inProcess({ endpoint })`. */
  readonly endpoint: Endpoint;
  stop(): Promise<void>;
};

/** Runs tasks on an engine in this process. What was accepted goes on after the next start. */
export async function executionZone(options: ZoneProgramOptions): Promise<ExecutionZone> {
  const { config, environment, logger } = await opening(options, ['config', 'environment', 'logger']);
  if (config.workflows.length > 0) throw filesOfWorkflows();
  const opened = new Opened();
  try {
    const zone = await openZoneHere({ config, environment, logger }, opened);
    const { endpoint, settled } = counted(zone.served);
    opened.add(() => {
      zone.stop();
      return settled();
    });
    return { endpoint, stop: () => opened.close(config.engine.stop_timeout * 1000) };
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

/** Whoever waits when it stops is answered with what there is, before the engine is gone. */
function counted({ endpoint, stopping }: ServedEndpoint) {
  const waiting = new Set<Promise<string>>();
  const asked: Endpoint = (body, options = {}) => {
    const { signal } = options;
    const either = signal === undefined ? stopping : AbortSignal.any([signal, stopping]);
    const answer = endpoint(body, { ...options, signal: either });
    waiting.add(answer);
    return answer.finally(() => waiting.delete(answer));
  };
  return { endpoint: asked, settled: async () => void (await Promise.all(waiting)) };
}

export type ZoneGatewayOptions = ZoneProgramOptions & {
  /** Asked besides the lists of the configuration. */
  readonly authorise?: readonly Authorise[];
  /** Instead of the one that the configuration names. */
  readonly carrier?: Carrier;
};

/** What `gleitzeit zone gateway` does, with hooks of one's own. */
export async function zoneGateway(
  options: ZoneGatewayOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const keys = ['config', 'environment', 'logger', 'authorise', 'carrier'];
  const { authorise, carrier } = options;
  const { url, stop } = await startGateway({
    ...(await opening(options, keys)),
    ...(authorise === undefined ? {} : { authorise }),
    ...(carrier === undefined ? {} : { carrier }),
  });
  return { url, stop };
}

type Opening = {
  readonly config: Config;
  readonly environment: NonNullable<ZoneProgramOptions['environment']>;
  readonly logger: Logger;
};

async function opening(options: ZoneProgramOptions, keys: readonly string[]): Promise<Opening> {
  readOptions(options, keys);
  const { config: given, environment = process.env } = options;
  const cwd = process.cwd();
  const written = typeof given === 'string' ? { file: given } : inCode(given, cwd);
  const config = await loadServerConfig({ ...written, env: environment, cwd, database_url: false });
  return { config, environment, logger: options.logger ?? openLog(config).logger };
}

/** Paths in it count from the working folder, as those of a file there would. */
function inCode(config: object, cwd: string): { readonly file: string; readonly text: string } {
  return { file: join(cwd, 'configuration'), text: JSON.stringify(config) };
}

function filesOfWorkflows(): GleitzeitError {
  return new GleitzeitError('GLZ1012', 'files of workflows are read by programs of the command line only', {
    field: 'workflows',
    hint: 'run `gleitzeit serve` or `gleitzeit zone execute --stdio`, or let zone.execute name a method or an agent',
  });
}
