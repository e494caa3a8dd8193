import type { Logger } from '../../core/ports/logger.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import type { Asked } from '../verification/request.ts';
import type { Reply, VerificationZone } from '../verification/zone.ts';
import type { Chat, Post } from './chat.ts';
import { LONGEST_REPLY } from './protocol.ts';

export type MethodParts = {
  readonly zone: Pick<VerificationZone, 'ask'>;
  readonly chat: Chat;
  readonly logger: Logger;
};

type Context = Pick<ProviderCall, 'signal' | 'kept' | 'keep'>;

/** What tasks of the gateway's protocol call. */
export function gatewayMethods({ zone, chat, logger }: MethodParts) {
  return {
    ask: ({ asked }: { asked: Asked }, { signal, kept, keep }: Context): Promise<Reply> =>
      zone.ask(asked, { signal, kept, keep }),
    post: async (post: Post, { signal }: Context): Promise<{ ts: string | null }> => {
      const { client_msg_id, channel } = post;
      const posted = await chat.post({ ...post, text: bounded(post.text) }, signal);
      logger.info('a reply was posted', { client_msg_id, channel, ts: posted.ts });
      return posted;
    },
  };
}

function bounded(text: string): string {
  return text.length <= LONGEST_REPLY ? text : `${text.slice(0, LONGEST_REPLY - 1)}…`;
}
