import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import { redactJson } from '../../core/secrets.ts';
import type { HookRequest, HookRoute, PlainAnswer } from '../../rpc/listener/route.ts';
import { type Authorise, permissionOf } from '../verification/authorise.ts';
import type { RateLimits } from '../verification/rate-limits.ts';
import type { SentenceName } from '../verification/sentences.ts';
import { readHook } from './slack/hook.ts';
import type { Heard } from './slack/message.ts';
import { checkSignature } from './slack/signature.ts';
import { askAndPost, postOnly, type Work, type WorkOptions, workIdOf } from './work.ts';

/** Where work is kept. */
export type Inbox = {
  /** Whether work of this name was taken before. */
  readonly knows: (workflow_id: string) => Promise<boolean>;
  /** Resolves when it is durable; `known`: the same message was taken before. */
  readonly take: (work: Work) => Promise<'taken' | 'known'>;
};

export type WebhookOptions = WorkOptions & {
  readonly path: string;
  readonly signing_secret: string;
  /** Kept out of whatever people write: what is stored and sent on here shows it nowhere. */
  readonly bot_token: string;
  /** Types of events that are answered. */
  readonly events: readonly string[];
};

export type WebhookParts = {
  readonly inbox: Inbox;
  /** What can be said at once of who may ask; hooks that take their time are asked later. */
  readonly allowed: Authorise;
  readonly limits: RateLimits;
  readonly options: WebhookOptions;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Takes what the chat sends, and says so as soon as it is safe: everything else happens after that. */
export function webhookRoute(parts: WebhookParts): HookRoute {
  const underWay: UnderWay = new Map();
  const all = { ...parts, underWay };
  return { kind: 'hook', path: parts.options.path, answer: (request) => answer(all, request) };
}

/** Messages that are being taken, by their keys: one that comes again meanwhile waits for the first. */
type UnderWay = Map<string, Promise<void>>;
type Parts = WebhookParts & { readonly underWay: UnderWay };

const nothing: PlainAnswer = { status: 200, type: 'text/plain; charset=utf-8', body: '' };

async function answer(parts: Parts, { headers, body, signal }: HookRequest): Promise<PlainAnswer> {
  const { options, clock, logger } = parts;
  const verdict = checkSignature(options.signing_secret, { headers, body, now: clock.wall() });
  if (verdict !== 'right') {
    logger.warn('a message is refused: its signature is not right', { reason: verdict });
    throw unsigned();
  }
  const message = readHook(headers['content-type'], body, options);
  if (message.is === 'challenge') return { ...nothing, body: message.challenge };
  if (message.is === 'request')
    return take(parts, withoutToken(message, options.bot_token), {
      repeat: headers['x-slack-retry-num'],
      signal,
    });
  const { is, reason } = message;
  logger[is === 'ignored' ? 'debug' : 'warn'](`a message is ${is}`, { reason });
  if (is === 'ignored') return nothing;
  throw new GleitzeitError('GLZ4006', `the message ${reason}`);
}

/** Its key is a hash, and the address of a reply is sealed. */
function withoutToken(heard: Heard, bot_token: string): Heard {
  const { key, ...shown } = heard;
  return { ...(redactJson(shown as unknown as Json, [bot_token]) as unknown as Heard), key };
}

type Delivery = { readonly repeat: string | string[] | undefined; readonly signal: AbortSignal };

async function take(parts: Parts, heard: Heard, { repeat, signal }: Delivery): Promise<PlainAnswer> {
  const { underWay, logger } = parts;
  const { correlation_id, channel, user_id, team_id } = heard.request;
  const about = { correlation_id, channel, user_id, team_id, ...(repeat === undefined ? {} : { repeat }) };
  const first = underWay.get(heard.key);
  if (first !== undefined) {
    await first;
    logger.info('a message came again', about);
    return nothing;
  }
  const taking = takeOnce(parts, heard, { about, signal });
  underWay.set(heard.key, taking);
  try {
    await taking;
    return nothing;
  } catch (thrown) {
    // The chat sends it again: nothing of it was promised.
    const { code: error_code, message: error } = GleitzeitError.from(thrown);
    logger.error('a message could not be taken', { ...about, error_code, error });
    throw thrown;
  } finally {
    underWay.delete(heard.key);
  }
}

type Taking = { readonly about: LogFields; readonly signal: AbortSignal };

/** Only what is new counts against anybody's limits. */
async function takeOnce(parts: Parts, heard: Heard, { about, signal }: Taking): Promise<void> {
  const { inbox, limits, options, clock, logger } = parts;
  const { request } = heard;
  if (await inbox.knows(workIdOf(heard))) return logger.info('a message came again', about);
  const refusal = await refusalOf(parts, heard, signal);
  if (refusal !== null && !limits.tells(request, clock.monotonic()))
    return logger.warn('a message was refused without a word', { ...about, reason: refusal });
  const work =
    refusal === null
      ? askAndPost(heard, clock.wall(), options)
      : postOnly(heard, { text: options.sentences[refusal], known_at: clock.wall() }, options);
  let taken: 'taken' | 'known' | null = null;
  try {
    taken = await inbox.take(work);
  } finally {
    if (taken !== 'taken' && refusal === null) limits.giveBack(request);
  }
  if (taken === 'known') logger.info('a message came again', about);
  else if (refusal === null) logger.info('a message was taken', about);
  else logger.warn('a message was refused', { ...about, reason: refusal });
}

async function refusalOf(
  { allowed, limits, clock }: WebhookParts,
  { request }: Heard,
  signal: AbortSignal,
): Promise<SentenceName | null> {
  const permission = await permissionOf([allowed], request, { signal });
  if (!permission.allowed) return 'not_allowed';
  const verdict = limits.take(request, clock.monotonic());
  return verdict === 'allowed' ? null : verdict;
}

function unsigned(): GleitzeitError {
  return new GleitzeitError('GLZ4001', 'the message is not signed as it has to be', {
    hint: 'zone.gateway.signing_secret must be the signing secret of the app that sends it',
  });
}
