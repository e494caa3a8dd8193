import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { type Carrier, CarrierError } from '../carrier.ts';
import { zoneError } from '../contract/errors.ts';
import type { Authorise } from './authorise.ts';
import { RateLimits } from './rate-limits.ts';
import { asked, done, never, openScripted, type Said, type Sent } from './scripted.suite.ts';
import { sentences } from './sentences.ts';
import { GoesOnElsewhere } from './zone.ts';

describe('the verification zone, whatever others do', () => {
  it.each<[string, unknown]>([
    ['no permission', undefined],
    ['the word yes', 'yes'],
    ['a permission without a word', { allowed: 'yes' }],
  ])('asks nothing where a hook answers with %s', async (_, permission) => {
    const hook = (() => permission) as Authorise;
    const { zone, sent, logger } = openScripted(() => done, { authorise: [hook] });
    expect((await zone.ask(asked, { signal: never() })).is).toBe('refused');
    expect(sent).toEqual([]);
    expect(logger.lines[0]?.[1]).toMatchObject({
      reason: 'a hook answered with something that is no permission',
    });
  });

  it('asks no more than the limits of a user and a channel let it, and polls as often as it has to', async () => {
    const limits = new RateLimits({
      ...{ per_user: { requests: 2, per_ms: 60_000 }, per_channel: { requests: 3, per_ms: 60_000 } },
    });
    const { zone, sent, logger } = openScripted(() => done, { limits, request_bytes: 1000 });
    const by = (user_id: string, more: object = {}) => ({
      ...asked,
      request: { ...asked.request, user_id, ...more },
    });
    const said = async (one: typeof asked) => (await zone.ask(one, { signal: never() })).text;
    expect(await said(by('U1', { text: 'x'.repeat(1000) }))).toBe(sentences.too_large);
    for (const _ of [1, 2]) expect(await said(by('U1'))).toBe('yes');
    expect(await zone.ask(by('U1'), { signal: never() })).toEqual({
      is: 'refused',
      text: sentences.too_many,
    });
    expect(await said(by('U2'))).toBe('yes');
    expect(await said(by('U3'))).toBe(sentences.channel_busy);
    expect(sent).toHaveLength(3);
    expect((await zone.ask(by('U3'), { signal: never(), kept: { task_id: 't-1' } })).text).toBe('yes');
    expect(logger.lines.filter(([words]) => words === 'a question is over a limit')).toMatchObject([
      [expect.anything(), { id: asked.id, user_id: 'U1', reason: 'too_many' }],
      [expect.anything(), { id: asked.id, user_id: 'U3', reason: 'channel_busy' }],
    ]);
  });

  it('waits neither for a hook nor for a carrier that heeds no signal', async () => {
    const hanging = openScripted(() => done, { authorise: [() => new Promise(() => {})], deadline_ms: 20 });
    expect(await hanging.zone.ask(asked, { signal: never() })).toEqual({
      ...{ is: 'failed', text: sentences.too_late },
    });
    const deaf = openScripted(() => done, { deadline_ms: 20, send: () => new Promise(() => {}) });
    expect((await deaf.zone.ask(asked, { signal: never() })).text).toBe(sentences.too_late);
    const stopping = new AbortController();
    const stopped = openScripted(() => done, {
      authorise: [() => new Promise(() => stopping.abort(new Error('stops')))],
    });
    await expect(stopped.zone.ask(asked, { signal: stopping.signal })).rejects.toThrow('stops');
  });

  it('says that it went wrong, and nothing else, whatever it is given', async () => {
    const odd = { ...asked, request: { ...asked.request, text: 1n as unknown as string } };
    const { zone, logger } = openScripted(() => done);
    expect(await zone.ask(odd, { signal: never() })).toEqual({ is: 'failed', text: sentences.failed });
    expect(logger.lines.at(-1)).toMatchObject(['a question could not be asked', { id: asked.id }]);
    let brought = 0;
    const send = async (body: string) =>
      brought++ === 0
        ? (undefined as unknown as string)
        : JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(body) as Sent).id, ...done });
    expect((await openScripted(() => done, { send }).zone.ask(asked, { signal: never() })).text).toBe('yes');
  });

  it('stops where somebody else goes on with the question', async () => {
    const { zone, sent } = openScripted(() => ({ result: { status: 'accepted', task_id: 't-1' } }));
    const asking = zone.ask(asked, { signal: never(), keep: async () => false });
    await expect(asking).rejects.toThrow(GoesOnElsewhere);
    expect(sent).toHaveLength(1);
  });

  const inBetween: Said[] = [
    new CarrierError('404', { trouble: 'misconfigured', arrived: 'no' }),
    new CarrierError('401', { trouble: 'unauthenticated', arrived: 'no' }),
    { error: zoneError('forbidden') as unknown as Json },
    { error: zoneError('method_not_found') as unknown as Json },
    { error: zoneError('invalid_params') as unknown as Json },
  ];

  it('goes on polling for an accepted task, whatever somebody in between says meanwhile', async () => {
    const { zone, sent } = openScripted(({ method }, count) => {
      if (method === 'execute_task') return { result: { status: 'accepted', task_id: 't-1' } };
      return inBetween[count - 2] ?? done;
    });
    expect(await zone.ask(asked, { signal: never() })).toEqual({ is: 'answered', text: 'yes' });
    expect(sent).toHaveLength(inBetween.length + 2);
    for (const said of inBetween)
      expect((await openScripted(() => said).zone.ask(asked, { signal: never() })).is).toBe('failed');
  });

  it.each(['unknown_task', 'timeout', 'task_failed', 'cancelled'] as const)(
    'takes %s for the end of an accepted task',
    async (name) => {
      const { zone, sent } = openScripted(({ method }) =>
        method === 'execute_task'
          ? { result: { status: 'accepted', task_id: 't-1' } }
          : { error: zoneError(name) as unknown as Json },
      );
      expect((await zone.ask(asked, { signal: never() })).is).toBe('failed');
      expect(sent).toHaveLength(2);
    },
  );

  it('forgets what kept a request from coming through once one has', async () => {
    const accepted = { result: { status: 'accepted', task_id: 't-1' } };
    const away = new CarrierError('away', { trouble: 'unreachable', arrived: 'no' });
    const { zone } = openScripted(
      (_, count) => (count === 1 ? away : count === 2 ? accepted : new Promise<Said>(() => {})),
      { deadline_ms: 200 },
    );
    expect((await zone.ask(asked, { signal: never() })).text).toBe(sentences.too_late);
  });

  it('says what a carrier was waiting for when the time was up', async () => {
    const send: Carrier['send'] = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        const busy = new CarrierError('busy', { trouble: 'throttled', arrived: 'no' });
        signal.addEventListener('abort', () => setImmediate(reject, busy), { once: true });
      });
    const { zone } = openScripted(() => done, { send, deadline_ms: 20 });
    expect((await zone.ask(asked, { signal: never() })).text).toBe(sentences.busy);
  });

  it('has no longer than its deadline where the clock was set back', async () => {
    const { zone } = openScripted(() => new Promise<Said>(() => {}), { deadline_ms: 20 });
    const ahead = { ...asked, received_at: 3_600_000 };
    expect((await zone.ask(ahead, { signal: never() })).text).toBe(sentences.too_late);
  });
});
