import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import { sentences } from '../verification/sentences.ts';
import { GoesOnElsewhere } from '../verification/zone.ts';
import type { Chat, Post } from './chat.ts';
import { askingMethods, type MethodParts, postingMethods } from './methods.ts';

const asked = {
  ...{ id: '6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d', received_at: 0 },
  request: { channel: 'C1', text: 'hello', correlation_id: 'Ev1' },
};

function open(more: Partial<MethodParts>) {
  const logger = rememberingLogger();
  const chat: Chat = { post: async () => ({ ts: '1' }) };
  const zone = { ask: async () => ({ is: 'answered', text: 'yes' }) as const };
  const parts = { zone, chat, sentences, logger, ...more };
  return { logger, methods: { ...askingMethods(parts), ...postingMethods(parts) } };
}

const living = () => ({ signal: new AbortController().signal });

describe('asking', () => {
  it('says that it went wrong where that is all there is to say, and the log says what', async () => {
    const { methods, logger } = open({ zone: { ask: () => Promise.reject(new Error('no such thing')) } });
    expect(await methods.ask({ asked }, living())).toEqual({ is: 'failed', text: sentences.failed });
    expect(logger.lines).toEqual([
      [
        'a question could not be asked',
        { id: asked.id, correlation_id: 'Ev1', error_code: 'GLZ2001', error: 'no such thing' },
      ],
    ]);
  });

  it('says nothing where it goes on in another life', async () => {
    const { methods, logger } = open({ zone: { ask: () => Promise.reject(new Error('stops')) } });
    const signal = AbortSignal.abort(new Error('stops'));
    await expect(methods.ask({ asked }, { signal })).rejects.toThrow('stops');
    expect(logger.lines).toEqual([]);
  });
});

describe('asking, where somebody else goes on', () => {
  it('says nothing either', async () => {
    const { methods, logger } = open({ zone: { ask: () => Promise.reject(new GoesOnElsewhere()) } });
    await expect(methods.ask({ asked }, living())).rejects.toThrow(GoesOnElsewhere);
    expect(logger.lines).toEqual([]);
  });
});

describe('posting', () => {
  const post = { client_msg_id: 'm-1', text: 'hello', channel: 'C1', correlation_id: 'Ev1' };

  it('says nothing instead of a reply that is posted again, though the log has each try', async () => {
    const posts: Post[] = [];
    const chat: Chat = {
      post: async (one) => {
        posts.push(one);
        throw new GleitzeitError('GLZ2004', 'slower');
      },
    };
    const { methods, logger } = open({ chat });
    await expect(methods.post(post, living())).rejects.toThrow('slower');
    expect(posts).toEqual([{ client_msg_id: 'm-1', text: 'hello', channel: 'C1' }]);
    const about = { correlation_id: 'Ev1', client_msg_id: 'm-1', channel: 'C1' };
    expect(logger.lines).toEqual([
      ['a reply was not posted', { ...about, again: true, error_code: 'GLZ2004', error: 'slower' }],
    ]);
  });

  it('is no failure where it was stopped', async () => {
    const { methods, logger } = open({ chat: { post: () => Promise.reject(new Error('stops')) } });
    await expect(methods.post(post, { signal: AbortSignal.abort() })).rejects.toThrow('stops');
    expect(logger.lines).toEqual([]);
  });
});
