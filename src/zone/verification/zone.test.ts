import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import { systemTimers } from '../../rpc/testing/timers.suite.ts';
import { type Carrier, CarrierError } from '../carrier.ts';
import { type ZoneErrorName, zoneError, zoneErrors } from '../contract/errors.ts';
import type { Authorise } from './authorise.ts';
import { sentences } from './sentences.ts';
import { VerificationZone } from './zone.ts';

const bot_token = 'xoxb-kept-to-itself';
const asked = {
  id: '6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d',
  request: { channel: 'C1', text: 'hello', correlation_id: 'Ev1', user_id: 'U1' },
  received_at: 0,
};

type Sent = { readonly id: string; readonly method: string; readonly params: JsonObject };
type Said = { readonly result: Json } | { readonly error: Json } | CarrierError;
type Script = (sent: Sent, count: number) => Said | Promise<Said>;

function open(
  script: Script,
  more: { authorise?: Authorise[]; deadline_ms?: number; request_bytes?: number } = {},
) {
  const sent: Sent[] = [];
  const logger = rememberingLogger();
  const carrier: Carrier = {
    name: 'scripted',
    send: async (body, { signal }) => {
      const message = JSON.parse(body) as Sent;
      sent.push(message);
      const gone = new Promise<never>((_, reject) => {
        const stop = () => reject(new CarrierError('gone', { trouble: 'aborted', arrived: 'maybe' }));
        signal.addEventListener('abort', stop, { once: true });
      });
      const said = await Promise.race([script(message, sent.length), gone]);
      if (said instanceof CarrierError) throw said;
      return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...said });
    },
    close: async () => {},
  };
  const { authorise = [], deadline_ms = 60_000, request_bytes = 10_000 } = more;
  const zone = new VerificationZone({
    ...{ carrier, authorise, logger, timers: systemTimers },
    clock: { wall: () => 0, monotonic: () => performance.now() },
    random: { next: () => 0, bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
    options: {
      ...{ bot_token, deadline_ms, request_bytes, budget_ms: 10, sentences },
      backoff: { first_ms: 1, longest_ms: 2 },
    },
  });
  return { zone, sent, logger };
}

const never = () => new AbortController().signal;
const done = { result: { status: 'success', response_text: 'yes' } };

describe('the verification zone', () => {
  it('asks with the token and a budget, and hands on the answer without it', async () => {
    const { zone, sent, logger } = open(() => ({
      result: { status: 'success', response_text: `with ${bot_token}` },
    }));
    expect(await zone.ask(asked, { signal: never() })).toEqual({ is: 'answered', text: 'with [secret]' });
    expect(sent).toMatchObject([{ id: asked.id, params: { ...asked.request, bot_token, budget_ms: 10 } }]);
    expect(logger.lines.every(([, { id }]) => id === asked.id)).toBe(true);
    expect(JSON.stringify(logger.lines)).not.toContain(bot_token);
  });

  it('keeps what was accepted before it polls, each time under another id', async () => {
    const { zone, sent } = open(({ method }, count) => {
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
    expect(sent.slice(1).every(({ params }) => params['task_id'] === 't-1')).toBe(true);
  });

  it('goes on polling where an earlier life was, without asking anew', async () => {
    const { zone, sent } = open(() => done, { authorise: [() => ({ allowed: false, reason: 'not again' })] });
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
    const { zone, sent } = open((_, count) => troubles[count - 1] ?? done);
    expect(await zone.ask(asked, { signal: never() })).toMatchObject({ is: 'answered' });
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(sent).toHaveLength(troubles.length + 1);
  });

  const final = (Object.keys(zoneErrors) as ZoneErrorName[]).filter(
    (name) => !['internal_error', 'overloaded', 'unavailable'].includes(name),
  );

  it.each(final)('makes a sentence of %s, and logs the rest', async (name) => {
    const data = { correlation_id: 'Ev1', reason: `stack of ${bot_token}` };
    const { zone, logger } = open(() => ({ error: zoneError(name, data) as unknown as Json }));
    const { is, text } = await zone.ask(asked, { signal: never() });
    expect(is).toBe('failed');
    expect(Object.values(sentences)).toContain(text);
    expect(text).not.toMatch(/\d|stack/);
    const said = logger.lines.find(([message]) => message === 'the execution zone answered with an error');
    expect(said?.[1]).toMatchObject({ id: asked.id, code: zoneErrors[name].code, correlation_id: 'Ev1' });
    expect(JSON.stringify(logger.lines)).not.toContain(bot_token);
  });

  it('says at the deadline that it takes too long, or that nobody was reached', async () => {
    const slow = open(() => new Promise<Said>(() => {}), { deadline_ms: 20 });
    expect((await slow.zone.ask(asked, { signal: never() })).text).toBe(sentences.too_late);
    const away = open(() => new CarrierError('away', { trouble: 'unreachable', arrived: 'no' }), {
      deadline_ms: 20,
    });
    expect((await away.zone.ask(asked, { signal: never() })).text).toBe(sentences.unreachable);
    const late = open(() => done);
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
    const refused = open(() => done, { authorise: refusing });
    expect(await refused.zone.ask(asked, { signal: never() })).toEqual({
      ...{ is: 'refused', text: sentences.not_allowed },
    });
    const failing: Authorise = () => {
      throw new Error('the directory is away');
    };
    const broken = open(() => done, { authorise: [failing] });
    expect((await broken.zone.ask(asked, { signal: never() })).is).toBe('refused');
    const large = open(() => done, { request_bytes: 100 });
    expect((await large.zone.ask(asked, { signal: never() })).text).toBe(sentences.too_large);
    expect([...refused.sent, ...broken.sent, ...large.sent]).toEqual([]);
  });

  it('says nothing when it is stopped: the question goes on in another life', async () => {
    const stopping = new AbortController();
    const { zone } = open(() => {
      stopping.abort(new Error('stops'));
      return new Promise<Said>(() => {});
    });
    await expect(zone.ask(asked, { signal: stopping.signal })).rejects.toThrow('stops');
  });
});
