import { classOf, GleitzeitError } from '../../core/errors.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { defaultRetry } from '../../core/retry.ts';
import type { Asked } from '../verification/request.ts';
import { idFrom } from '../verification/request-id.ts';
import type { Sentences } from '../verification/sentences.ts';
import { GoesOnElsewhere, type Reply, type VerificationZone } from '../verification/zone.ts';
import type { Chat, Post } from './chat.ts';
import { replyText } from './slack/reply-text.ts';

export type MethodParts = {
  readonly zone: Pick<VerificationZone, 'ask'>;
  readonly chat: Chat;
  readonly sentences: Sentences;
  readonly logger: Logger;
};

type Context = Pick<ProviderCall, 'signal' | 'kept' | 'keep'>;

/** What is posted, and what the log knows it by. */
export type PostParams = Post & { readonly correlation_id?: string };

/** What tasks of the gateway call. Whatever fails here leaves a line in the log, and people are told what they still can be. */
export function askingMethods(parts: Pick<MethodParts, 'zone' | 'sentences' | 'logger'>) {
  return { ask: ({ asked }: { asked: Asked }, context: Context) => ask(parts, asked, context) };
}

export function postingMethods(parts: Pick<MethodParts, 'chat' | 'sentences' | 'logger'>) {
  return { post: (params: PostParams, { signal }: Context) => post(parts, params, signal) };
}

async function ask(
  { zone, sentences, logger }: Pick<MethodParts, 'zone' | 'sentences' | 'logger'>,
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
  parts: Pick<MethodParts, 'chat' | 'sentences' | 'logger'>,
  { correlation_id, ...message }: PostParams,
  signal: AbortSignal,
): Promise<{ ts: string | null }> {
  const { chat, logger } = parts;
  const { client_msg_id, channel } = message;
  const about = { correlation_id, client_msg_id, channel };
  try {
    const posted = await chat.post({ ...message, text: replyText(message.text) }, signal);
    logger.info('a reply was posted', { ...about, ts: posted.ts });
    return posted;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const again = mayPass(thrown);
    logger.warn('a reply was not posted', { ...about, again, ...shown(thrown) });
    if (!again) await tell(parts, { ...about, thread_ts: message.thread_ts }, signal);
    throw thrown;
  }
}

type Told = {
  readonly correlation_id: string | undefined;
  readonly client_msg_id: string;
  readonly channel: string | undefined;
  readonly thread_ts: string | undefined;
};

/** It may have been the text that the chat did not take, or the address: a sentence in the channel says that there was a reply. */
async function tell(
  { chat, sentences, logger }: Pick<MethodParts, 'chat' | 'sentences' | 'logger'>,
  told: Told,
  signal: AbortSignal,
): Promise<void> {
  const { correlation_id, channel, thread_ts } = told;
  if (channel === undefined) return;
  const client_msg_id = idFrom('instead of', told.client_msg_id);
  const about = { correlation_id, client_msg_id, channel };
  const thread = thread_ts === undefined ? {} : { thread_ts };
  try {
    const text = replyText(sentences.not_posted);
    const { ts } = await chat.post({ client_msg_id, channel, ...thread, text }, signal);
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
