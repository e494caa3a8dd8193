import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { CarrierError } from '../carrier.ts';
import { type ZoneErrorName, zoneError, zoneErrors } from '../contract/errors.ts';
import type { Authorise } from './authorise.ts';
import { asked, bot_token, done, jumpingTimers, never, openScripted, type Said } from './scripted.suite.ts';
import { sentences } from './sentences.ts';

describe('the verification zone', () => {
  it('asks with the token and a budget, and hands on the answer without it', async () => {
    const { zone, sent, logger } = openScripted(() => ({
      result: { status: 'success', response_text: `with ${bot_token}` },
    }));
    expect(await zone.ask(asked, { signal: never() })).toEqual({ is: 'answered', text: 'with [secret]' });
    expect(sent).toMatchObject([{ id: asked.id, params: { ...asked.request, bot_token, budget_ms: 10 } }]);
    expect(logger.lines.every(([, { id }]) => id === asked.id)).toBe(true);
    expect(JSON.stringify(logger.lines)).not.toContain(bot_token);
  });

  it('keeps what was accepted before it polls, each time under another id', async () => {
    const { zone, sent } = openScripted(({ method }, count) => {
      if (method === 'execute_task') return { result: { status: 'accepted', task_id: 't-1' } };
      return count < 5 ? { result: { status: 'pending' } } : done;
    });
    const kept: Json[] = [];
    const keep = async (what: Json) => {
      expect(sent).toHaveLength(1);
      kept.push(what);
      return true;
    };
    expect(await zone.ask(asked, { signal: never(), keep })).toMatchObject({ text: 'yes' });
    expect(kept).toEqual([{ task_id: 't-1' }]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
    const polled = { task_id: 't-1', budget_ms: 10 };
    expect(sent.slice(1).map(({ params }) => params)).toMatchObject(Array(sent.length - 1).fill(polled));
  });

  it('goes on polling where an earlier life was, without asking anew', async () => {
    const { zone, sent } = openScripted(() => done, {
      authorise: [() => ({ allowed: false, reason: 'not again' })],
    });
    const kept = { task_id: 't-1' };
    expect(await zone.ask(asked, { signal: never(), kept })).toMatchObject({ text: 'yes' });
    expect(sent.map(({ method }) => method)).toEqual(['get_async_task_result']);
  });

  it('sends the same request again where it may come through later', async () => {
    const troubles: Said[] = [
      new CarrierError('away', { trouble: 'unreachable', arrived: 'maybe' }),
      new CarrierError('slower', { trouble: 'throttled', arrived: 'no', retry_after_ms: 1 }),
      { error: zoneError('overloaded', { retry_after_ms: 1 }) as unknown as Json },
      { result: 'no result of this contract' },
    ];
    const { zone, sent } = openScripted((_, count) => troubles[count - 1] ?? done);
    expect(await zone.ask(asked, { signal: never() })).toMatchObject({ is: 'answered' });
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(sent).toHaveLength(troubles.length + 1);
  });

  it('waits as long as it is asked to before it sends again', async () => {
    const timers = jumpingTimers((ms) => ms < 10_000);
    const throttled = new CarrierError('slower', {
      trouble: 'throttled',
      arrived: 'no',
      retry_after_ms: 7001,
    });
    const overloaded = { error: zoneError('overloaded', { retry_after_ms: 7002 }) as unknown as Json };
    const { zone } = openScripted((_, count) => [throttled, overloaded][count - 1] ?? done, { timers });
    expect(await zone.ask(asked, { signal: never() })).toMatchObject({ is: 'answered' });
    expect(timers.asked.filter((ms) => ms >= 7000 && ms < 10_000)).toEqual([7001, 7002]);
  });

  it('gives up a request that stays without a response, and sends it again', async () => {
    const timers = jumpingTimers((ms) => ms < 20_000);
    const { zone, sent } = openScripted((_, count) => (count === 1 ? new Promise<Said>(() => {}) : done), {
      timers,
    });
    expect(await zone.ask(asked, { signal: never() })).toMatchObject({ is: 'answered' });
    expect(sent.map(({ id }) => id)).toEqual([asked.id, asked.id]);
  });

  it('says as much of an answer as there is room for, and something where there is nothing', async () => {
    const saying = (response_text: string) =>
      openScripted(() => ({ result: { status: 'success', response_text } }), { longest_reply: 20 });
    const text = async (said: string) => (await saying(said).zone.ask(asked, { signal: never() })).text;
    expect(await text('x'.repeat(20))).toBe('x'.repeat(20));
    expect(await text('x'.repeat(9 * 2 ** 20))).toBe(`${'x'.repeat(19)}…`);
    // What is cut could be the end of the token.
    expect(await text(`12345678901234${bot_token}`)).toBe('12345678901234[secr…');
    expect(await text('half a \ud83d')).toBe('half a \ufffd');
    expect(await text('')).toBe(sentences.empty);
    const { zone, logger } = saying(' \n');
    expect(await zone.ask(asked, { signal: never() })).toEqual({ is: 'answered', text: sentences.empty });
    expect(logger.lines).toContainEqual(['an answer is empty', { id: asked.id, correlation_id: 'Ev1' }]);
  });

  it.each([
    ['no', 'too_large'],
    ['maybe', 'reply_too_large'],
  ] as const)('tells a request that is too large from a response that is: %s', async (arrived, sentence) => {
    const { zone, sent } = openScripted(
      () => new CarrierError('too large', { trouble: 'too_large', arrived }),
    );
    expect(await zone.ask(asked, { signal: never() })).toEqual({ is: 'failed', text: sentences[sentence] });
    expect(sent).toHaveLength(1);
  });

  it('goes on with what was accepted though it cannot be kept, and says so in the log', async () => {
    const { zone, logger } = openScripted(({ method }) =>
      method === 'execute_task' ? { result: { status: 'accepted', task_id: 't-1' } } : done,
    );
    const keep = () => Promise.reject(new Error('the disk is full'));
    expect(await zone.ask(asked, { signal: never(), keep })).toMatchObject({ text: 'yes' });
    expect(logger.lines).toContainEqual([
      'an accepted task could not be kept',
      { id: asked.id, correlation_id: 'Ev1', task_id: 't-1', error: 'the disk is full' },
    ]);
  });

  const final = (Object.keys(zoneErrors) as ZoneErrorName[]).filter(
    (name) => !['internal_error', 'overloaded', 'unavailable'].includes(name),
  );

  it.each(final)('makes a sentence of %s, and logs the rest', async (name) => {
    const data = { correlation_id: 'Ev1', reason: `stack of ${bot_token}` };
    const { zone, logger } = openScripted(() => ({ error: zoneError(name, data) as unknown as Json }));
    const { is, text } = await zone.ask(asked, { signal: never() });
    expect(is).toBe('failed');
    expect(Object.values(sentences)).toContain(text);
    expect(text).not.toMatch(/\d|stack/);
    const said = logger.lines.find(([message]) => message === 'the execution zone answered with an error');
    expect(said?.[1]).toMatchObject({ id: asked.id, code: zoneErrors[name].code, correlation_id: 'Ev1' });
    expect(JSON.stringify(logger.lines)).not.toContain(bot_token);
  });

  it('says at the deadline that it takes too long, or that nobody was reached', async () => {
    const slow = openScripted(() => new Promise<Said>(() => {}), { deadline_ms: 20 });
    expect((await slow.zone.ask(asked, { signal: never() })).text).toBe(sentences.too_late);
    const away = openScripted(() => new CarrierError('away', { trouble: 'unreachable', arrived: 'no' }), {
      deadline_ms: 20,
    });
    expect((await away.zone.ask(asked, { signal: never() })).text).toBe(sentences.unreachable);
    const late = openScripted(() => done);
    const old = { ...asked, received_at: -60_001 };
    expect((await late.zone.ask(old, { signal: never() })).is).toBe('failed');
    const kept = { task_id: 't-1' };
    expect((await late.zone.ask(old, { signal: never(), kept })).text).toBe('yes');
  });

  it('asks nothing for those who may not, whose hook fails, or who say too much', async () => {
    const refusing: Authorise[] = [
      () => ({ allowed: true }),
      async () => ({ allowed: false, reason: 'new here' }),
    ];
    const refused = openScripted(() => done, { authorise: refusing });
    expect(await refused.zone.ask(asked, { signal: never() })).toEqual({
      ...{ is: 'refused', text: sentences.not_allowed },
    });
    const failing: Authorise = () => {
      throw new Error('the directory is away');
    };
    const broken = openScripted(() => done, { authorise: [failing] });
    expect((await broken.zone.ask(asked, { signal: never() })).is).toBe('refused');
    const large = openScripted(() => done, { request_bytes: 100 });
    expect((await large.zone.ask(asked, { signal: never() })).text).toBe(sentences.too_large);
    const bytes = Buffer.byteLength(JSON.stringify((await justFits(Number.MAX_SAFE_INTEGER)).sent[0]));
    expect((await justFits(bytes)).sent).toHaveLength(1);
    expect((await justFits(bytes - 1)).sent).toEqual([]);
    expect([...refused.sent, ...broken.sent, ...large.sent]).toEqual([]);
  });

  async function justFits(request_bytes: number) {
    const { zone, sent } = openScripted(() => done, { request_bytes });
    await zone.ask(asked, { signal: never() });
    return { sent };
  }

  it('says nothing when it is stopped: the question goes on in another life', async () => {
    const stopping = new AbortController();
    const { zone } = openScripted(() => {
      stopping.abort(new Error('stops'));
      return new Promise<Said>(() => {});
    });
    await expect(zone.ask(asked, { signal: stopping.signal })).rejects.toThrow('stops');
  });
});
