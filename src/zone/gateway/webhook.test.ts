import { describe, expect, it } from 'vitest';
import { quiet, rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import { RateLimits } from '../verification/rate-limits.ts';
import { sentences } from '../verification/sentences.ts';
import { signatureOf } from './slack/signature.ts';
import { type Inbox, webhookRoute } from './webhook.ts';
import type { Work } from './work.ts';

const signing_secret = '8f742231b10e';
const bot_token = 'xoxb-of-the-gateway';

/** A hook before this inbox; one request an hour is allowed to each user. */
function open(inbox: Partial<Inbox>) {
  const logger = rememberingLogger();
  const taken: Work[] = [];
  const rate = { requests: 1, per_ms: 3_600_000 };
  const route = webhookRoute({
    inbox: {
      knows: async (id) => taken.some(({ workflow }) => workflow.workflow_id === id),
      take: async (work) => {
        taken.push(work);
        return 'taken';
      },
      ...inbox,
    },
    allowed: () => ({ allowed: true }),
    limits: new RateLimits({ per_user: rate, per_channel: { requests: 100, per_ms: 1000 } }),
    options: {
      ...{ path: '/slack/events', signing_secret, bot_token, events: ['app_mention'], sentences },
      ...{ deadline_ms: 1000, post_within_ms: 1000 },
    },
    ...{ clock: quiet.clock, logger },
  });
  const send = (event_id: string, more: object = {}) => {
    const event = { type: 'app_mention', user: 'U1', channel: 'C1', ts: '1.0', text: 'hello', ...more };
    const body = Buffer.from(JSON.stringify({ type: 'event_callback', team_id: 'T1', event_id, event }));
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': '0',
      'x-slack-signature': signatureOf(signing_secret, '0', body),
    };
    const { signal } = new AbortController();
    const where = {
      method: 'POST',
      path: '/slack/events',
      query: new URLSearchParams(),
      address: '127.0.0.1',
    };
    return route.answer({ ...where, headers, body, signal, caller: null });
  };
  const questions = () => taken.filter(({ workflow }) => workflow.tasks.length === 2).length;
  return { send, logger, taken, questions };
}

describe('a message', () => {
  it('that shows the token is kept without it, wherever in it that stands', async () => {
    const { send, taken, logger } = open({});
    const files = [{ id: 'F1', name: `${bot_token}.txt`, url_private: `https://files/${bot_token}` }];
    await send(`Ev-${bot_token}`, { text: `my token is ${bot_token} ok`, channel: `C-${bot_token}`, files });
    await send('Ev1', { text: `refused, with ${bot_token}` });
    expect(taken[0]?.input).toMatchObject({ asked: { request: { text: 'my token is [secret] ok' } } });
    expect(JSON.stringify([taken, logger.lines])).not.toContain(bot_token);
  });

  it('that could not be kept is in the log, and does not count when it comes again', async () => {
    let away = true;
    const kept: Work[] = [];
    const take: Inbox['take'] = async (work) => {
      if (away) throw new Error('the disk is full');
      kept.push(work);
      return 'taken';
    };
    const { send, logger } = open({ take });
    await expect(send('Ev1')).rejects.toThrow('the disk is full');
    expect(logger.lines).toContainEqual([
      'a message could not be taken',
      expect.objectContaining({ correlation_id: 'Ev1', error: 'the disk is full' }),
    ]);
    away = false;
    await send('Ev1');
    expect(kept[0]?.workflow.tasks.map(({ id }) => id)).toEqual(['ask', 'post']);
  });

  it('that comes again while it is taken is neither asked nor refused', async () => {
    const { send, taken, questions } = open({});
    await Promise.all([send('Ev1'), send('Ev1'), send('Ev1')]);
    await send('Ev1');
    expect([taken.length, questions()]).toEqual([1, 1]);
    await send('Ev2');
    expect([taken.length, questions()]).toEqual([2, 1]);
    expect(taken.map(({ workflow }) => workflow.tasks.at(-1)?.params['visible_to'])).toEqual([
      ...['${ask.result.visible_to ?? "channel"}', 'asker'],
    ]);
  });

  it('that comes again fails with the first, so that it is sent once more', async () => {
    const { send } = open({ take: () => Promise.reject(new Error('the disk is full')) });
    const both = await Promise.allSettled([send('Ev1'), send('Ev1')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('that somebody else has kept meanwhile does not count', async () => {
    let first = true;
    const asked: Work[] = [];
    const take: Inbox['take'] = async (work) => {
      asked.push(work);
      const known = first;
      first = false;
      return known ? 'known' : 'taken';
    };
    const { send } = open({ take, knows: async () => false });
    await send('Ev1');
    await send('Ev2');
    expect(asked.map(({ workflow }) => workflow.tasks.length)).toEqual([2, 2]);
  });
});
