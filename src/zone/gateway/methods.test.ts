import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import { systemTimers } from '../../rpc/testing/timers.suite.ts';
import { jumpingTimers } from '../verification/scripted.suite.ts';
import { sentences } from '../verification/sentences.ts';
import { GoesOnElsewhere, type Reply } from '../verification/zone.ts';
import type { Chat, Post } from './chat.ts';
import { askingMethods, type MethodParts, postingMethods } from './methods.ts';

const asked = {
  ...{ id: '6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d', received_at: 0 },
  request: { channel: 'C1', text: 'hello', correlation_id: 'Ev1' },
};

/** When it is, and how long posting is tried. */
const now = 5_000_000;
const within_ms = 3_600_000;

function open(more: Partial<MethodParts>) {
  const logger = rememberingLogger();
  const chat: Chat = { post: async () => ({ ts: '1' }) };
  const zone = { ask: async () => ({ is: 'answered', text: 'yes' }) as const };
  const clock = { wall: () => now, monotonic: () => now };
  const posting = { within_ms, started_at: 0 };
  const parts: MethodParts = { zone, chat, sentences, posting, clock, timers: systemTimers, logger, ...more };
  return { logger, methods: { ...askingMethods(parts), ...postingMethods(parts) } };
}

const living = () => ({ signal: new AbortController().signal });

describe('asking', () => {
  it('says that it went wrong where that is all there is to say, and the log says what', async () => {
    const { methods, logger } = open({ zone: { ask: () => Promise.reject(new Error('no such thing')) } });
    expect(await methods.ask({ asked }, living())).toEqual({
      ...{ is: 'failed', text: sentences.failed, visible_to: 'channel', at: now },
    });
    expect(logger.lines).toEqual([
      [
        'a question could not be asked',
        { id: asked.id, correlation_id: 'Ev1', error_code: 'GLZ2001', error: 'no such thing' },
      ],
    ]);
  });

  it('tells the channel what was answered, and whoever asked alone that it was refused', async () => {
    const said = async (reply: Reply) =>
      (await open({ zone: { ask: async () => reply } }).methods.ask({ asked }, living())).visible_to;
    expect(await said({ is: 'answered', text: 'yes' })).toBe('channel');
    expect(await said({ is: 'failed', text: sentences.unreachable })).toBe('channel');
    expect(await said({ is: 'refused', text: sentences.too_large })).toBe('asker');
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

  const failing = (thrown: Error) => ({ post: () => Promise.reject(thrown) });
  const away = () => failing(new GleitzeitError('GLZ2002', 'away'));

  it.each([
    ['in time', { known_at: now - within_ms, started_at: 0 }, true],
    ['known longer ago', { known_at: now - within_ms - 1, started_at: 0 }, false],
    [
      'known longer ago, by a gateway that has just come back',
      { known_at: 0, started_at: now - 60_000 },
      true,
    ],
    ['known longer ago, by one that came back earlier', { known_at: 0, started_at: now - 60_001 }, false],
    ['of before this was counted', { started_at: 0 }, true],
  ])('is tried for as long as it may be: %s', async (_, { started_at, ...known }, again) => {
    const { methods, logger } = open({ chat: away(), posting: { within_ms, started_at } });
    const code = again ? 'GLZ2002' : 'GLZ2010';
    await expect(methods.post({ ...post, ...known }, living())).rejects.toMatchObject({ code });
    expect(logger.lines[0]).toMatchObject(['a reply was not posted', { again, error: 'away' }]);
    const told = logger.lines.map(([message]) => message);
    expect(told.includes('nor could it be said that a reply was not posted')).toBe(!again);
  });

  it('does not wait longer for a chat than it may', async () => {
    const slower = failing(new GleitzeitError('GLZ2004', 'slower', { retry_after_ms: 2 }));
    const known = (before: number) => ({ ...post, known_at: now - within_ms + before });
    await expect(open({ chat: slower }).methods.post(known(2), living())).rejects.toThrow(/^slower$/);
    await expect(open({ chat: slower }).methods.post(known(1), living())).rejects.toThrow(/chat\.within/);
  });

  it('is tried once, however late', async () => {
    const { methods } = open({});
    expect(await methods.post({ ...post, known_at: 0 }, living())).toEqual({ ts: '1' });
  });

  it('is not held up by a chat that says nothing', async () => {
    const timers = jumpingTimers(() => true);
    const silent: Chat = {
      post: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
    };
    const { methods, logger } = open({ chat: silent, timers });
    await expect(methods.post({ ...post, known_at: 0 }, living())).rejects.toMatchObject({ code: 'GLZ2010' });
    expect(logger.lines[0]?.[1]).toMatchObject({
      error_code: 'GLZ2003',
      error: 'the chat did not answer in time',
    });
    // Both within the minute that a task of posting has.
    expect(timers.asked).toEqual([40_000, 10_000]);
  });
});
