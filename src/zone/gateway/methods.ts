import { classOf, GleitzeitError } from '../../core/errors.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { defaultRetry } from '../../core/retry.ts';
import { alarm } from '../verification/pause.ts';
import type { Asked } from '../verification/request.ts';
import { idFrom } from '../verification/request-id.ts';
import type { Sentences } from '../verification/sentences.ts';
import { GoesOnElsewhere, type Reply, type VerificationZone } from '../verification/zone.ts';
import type { Chat, Post } from './chat.ts';
import { mayPostAgain, type PostingTimes } from './post-again.ts';
import { replyText } from './slack/reply-text.ts';

export type MethodParts = {
  readonly zone: Pick<VerificationZone, 'ask'>;
  readonly chat: Chat;
  readonly sentences: Sentences;
  readonly posting: PostingTimes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
};

type Context = Pick<ProviderCall, 'signal' | 'kept' | 'keep'>;

/** What is posted, and what the log knows it by. */
export type PostParams = Post & { readonly correlation_id?: string; readonly known_at?: number };

type Asking = Pick<MethodParts, 'zone' | 'sentences' | 'clock' | 'logger'>;
type Posting = Omit<MethodParts, 'zone'>;

/** What is posted of a question, who sees it, and since when it could be. */
export type KnownReply = Reply & { readonly visible_to: 'channel' | 'asker'; readonly at: number };

/** Together shorter than a task of ours may take: that a chat says nothing is ours to say, too. */
const POST_MS = 40_000;
const TELL_MS = 10_000;

/** What tasks of the gateway call. Whatever fails here leaves a line in the log, and people are told what they still can be. */
export function askingMethods(parts: Asking) {
  return {
    ask: async ({ asked }: { asked: Asked }, context: Context): Promise<KnownReply> => {
      const reply = await ask(parts, asked, context);
      const visible_to = reply.is === 'refused' ? 'asker' : 'channel';
      return { ...reply, visible_to, at: parts.clock.wall() };
    },
  };
}

export function postingMethods(parts: Posting) {
  return { post: (params: PostParams, { signal }: Context) => post(parts, params, signal) };
}

async function ask(
  { zone, sentences, logger }: Asking,
  asked: Asked,
  { signal, kept, keep }: Context,
): Promise<Reply> {
  try {
    return await zone.ask(asked, { signal, kept, keep });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof GoesOnElsewhere) throw thrown;
    const { id, request } = asked;
    const about = { id, correlation_id: request.correlation_id };
    logger.error('a question could not be asked', { ...about, ...shown(thrown) });
    return { is: 'failed', text: sentences.failed };
  }
}

async function post(
  parts: Posting,
  { correlation_id, known_at, ...message }: PostParams,
  signal: AbortSignal,
): Promise<{ ts: string | null }> {
  const { logger } = parts;
  const { client_msg_id, channel } = message;
  const about = { correlation_id, client_msg_id, channel };
  try {
    const posted = await postOnce(
      parts,
      { ...message, text: replyText(message.text) },
      { signal, ms: POST_MS },
    );
    logger.info('a reply was posted', { ...about, ts: posted.ts });
    return posted;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const passes = mayPass(thrown);
    const again = passes && isInTime(parts, thrown, known_at);
    logger.warn('a reply was not posted', { ...about, again, ...shown(thrown) });
    if (again) throw thrown;
    await tell(parts, { ...about, thread_ts: message.thread_ts }, signal);
    throw passes ? tooLate(thrown) : thrown;
  }
}

/** A chat that says nothing is not waited for any longer. */
async function postOnce(
  { chat, timers }: Posting,
  message: Post,
  { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
): Promise<{ readonly ts: string | null }> {
  const once = alarm(timers, ms);
  try {
    return await chat.post(message, AbortSignal.any([signal, once.signal]));
  } catch (thrown) {
    if (signal.aborted || !once.signal.aborted) throw thrown;
    throw new GleitzeitError('GLZ2003', 'the chat did not answer in time', {}, thrown);
  } finally {
    once.off();
  }
}

function isInTime({ posting, clock }: Posting, thrown: unknown, known_at: number | undefined): boolean {
  const { retry_after_ms = 0 } = GleitzeitError.from(thrown).details;
  const now = clock.wall();
  return mayPostAgain({ known_at: known_at ?? now, at: now + retry_after_ms }, posting);
}

/** Of a class that is not tried again. */
function tooLate(thrown: unknown): GleitzeitError {
  const { message } = GleitzeitError.from(thrown, 'GLZ2001');
  return new GleitzeitError(
    'GLZ2010',
    `${message}, and it was tried for as long as zone.gateway.chat.within says`,
  );
}

type Told = {
  readonly correlation_id: string | undefined;
  readonly client_msg_id: string;
  readonly channel: string | undefined;
  readonly thread_ts: string | undefined;
};

/** It may have been the text that the chat did not take, or the address: a sentence in the channel says that there was a reply. */
async function tell(parts: Posting, told: Told, signal: AbortSignal): Promise<void> {
  const { sentences, logger } = parts;
  const { correlation_id, channel, thread_ts } = told;
  if (channel === undefined) return;
  const client_msg_id = idFrom('instead of', told.client_msg_id);
  const about = { correlation_id, client_msg_id, channel };
  const thread = thread_ts === undefined ? {} : { thread_ts };
  try {
    const text = replyText(sentences.not_posted);
    const message = { client_msg_id, channel, ...thread, text };
    const { ts } = await postOnce(parts, message, { signal, ms: TELL_MS });
    logger.info('it was said that a reply could not be posted', { ...about, ts });
  } catch (thrown) {
    logger.warn('nor could it be said that a reply was not posted', { ...about, ...shown(thrown) });
  }
}

/** As the engine decides it. */
function mayPass(thrown: unknown): boolean {
  return defaultRetry.retry_on.includes(classOf(GleitzeitError.from(thrown, 'GLZ2001').toRecord()));
}

function shown(thrown: unknown): LogFields {
  const { code, message } = GleitzeitError.from(thrown, 'GLZ2001');
  return { error_code: code, error: message };
}
