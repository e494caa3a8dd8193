import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import { systemTimers } from '../../rpc/testing/timers.suite.ts';
import { type Carrier, CarrierError } from '../carrier.ts';
import { type ZoneErrorName, zoneError, zoneErrors } from '../contract/errors.ts';
import type { Authorise } from './authorise.ts';
import { sentences } from './sentences.ts';
import { GoesOnElsewhere, VerificationZone } from './zone.ts';

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
  more: {
    authorise?: Authorise[];
    deadline_ms?: number;
    request_bytes?: number;
    longest_reply?: number;
    timers?: Timers;
    send?: Carrier['send'];
  } = {},
) {
  const sent: Sent[] = [];
  const logger = rememberingLogger();
  const carrier: Carrier = {
    name: 'scripted',
    close: async () => {},
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
    ...(more.send === undefined ? {} : { send: more.send }),
  };
  const { authorise = [], deadline_ms = 60_000, request_bytes = 10_000, longest_reply = 1000 } = more;
  const { timers = systemTimers } = more;
  const zone = new VerificationZone({
    ...{ carrier, authorise, logger, timers },
    clock: { wall: () => 0, monotonic: () => performance.now() },
    random: { next: () => 0, bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
    options: {
      ...{ bot_token, deadline_ms, request_bytes, longest_reply, budget_ms: 10, sentences },
      backoff: { first_ms: 1, longest_ms: 2 },
    },
  });
  return { zone, sent, logger };
}

/** Time passes at once, for those waits that are let; every wait that was asked for stands in `asked`. */
function jumpingTimers(let_pass: (ms: number) => boolean): Timers & { readonly asked: number[] } {
  const asked: number[] = [];
  const after: Timers['after'] = (ms, call) => {
    asked.push(ms);
    const timer = let_pass(ms) ? setImmediate(call) : undefined;
    return () => clearImmediate(timer);
  };
  return { ...systemTimers, asked, after };
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

  it('waits as long as it is asked to before it sends again', async () => {
    const timers = jumpingTimers((ms) => ms < 10_000);
    const throttled = new CarrierError('slower', {
      trouble: 'throttled',
      arrived: 'no',
      retry_after_ms: 7001,
    });
    const overloaded = { error: zoneError('overloaded', { retry_after_ms: 7002 }) as unknown as Json };
    const { zone } = open((_, count) => [throttled, overloaded][count - 1] ?? done, { timers });
    expect(await zone.ask(asked, { signal: never() })).toMatchObject({ is: 'answered' });
    expect(timers.asked.filter((ms) => ms >= 7000 && ms < 10_000)).toEqual([7001, 7002]);
  });

  it('gives up a request that stays without a response, and sends it again', async () => {
    const timers = jumpingTimers((ms) => ms < 20_000);
    const { zone, sent } = open((_, count) => (count === 1 ? new Promise<Said>(() => {}) : done), { timers });
    expect(await zone.ask(asked, { signal: never() })).toMatchObject({ is: 'answered' });
    expect(sent.map(({ id }) => id)).toEqual([asked.id, asked.id]);
  });

  it('says as much of an answer as there is room for, and something where there is nothing', async () => {
    const saying = (response_text: string) =>
      open(() => ({ result: { status: 'success', response_text } }), { longest_reply: 20 });
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
    const { zone, sent } = open(() => new CarrierError('too large', { trouble: 'too_large', arrived }));
    expect(await zone.ask(asked, { signal: never() })).toEqual({ is: 'failed', text: sentences[sentence] });
    expect(sent).toHaveLength(1);
  });

  it('goes on with what was accepted though it cannot be kept, and says so in the log', async () => {
    const { zone, logger } = open(({ method }) =>
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
    const bytes = Buffer.byteLength(JSON.stringify((await justFits(Number.MAX_SAFE_INTEGER)).sent[0]));
    expect((await justFits(bytes)).sent).toHaveLength(1);
    expect((await justFits(bytes - 1)).sent).toEqual([]);
    expect([...refused.sent, ...broken.sent, ...large.sent]).toEqual([]);
  });

  async function justFits(request_bytes: number) {
    const { zone, sent } = open(() => done, { request_bytes });
    await zone.ask(asked, { signal: never() });
    return { sent };
  }

  it.each<[string, unknown]>([
    ['no permission', undefined],
    ['the word yes', 'yes'],
    ['a permission without a word', { allowed: 'yes' }],
  ])('asks nothing where a hook answers with %s', async (_, permission) => {
    const hook = (() => permission) as Authorise;
    const { zone, sent, logger } = open(() => done, { authorise: [hook] });
    expect((await zone.ask(asked, { signal: never() })).is).toBe('refused');
    expect(sent).toEqual([]);
    expect(logger.lines[0]?.[1]).toMatchObject({
      reason: 'a hook answered with something that is no permission',
    });
  });

  it('waits neither for a hook nor for a carrier that heeds no signal', async () => {
    const hanging = open(() => done, { authorise: [() => new Promise(() => {})], deadline_ms: 20 });
    expect(await hanging.zone.ask(asked, { signal: never() })).toEqual({
      ...{ is: 'failed', text: sentences.too_late },
    });
    const deaf = open(() => done, { deadline_ms: 20, send: () => new Promise(() => {}) });
    expect((await deaf.zone.ask(asked, { signal: never() })).text).toBe(sentences.too_late);
    const stopping = new AbortController();
    const stopped = open(() => done, {
      authorise: [() => new Promise(() => stopping.abort(new Error('stops')))],
    });
    await expect(stopped.zone.ask(asked, { signal: stopping.signal })).rejects.toThrow('stops');
  });

  it('says that it went wrong, and nothing else, whatever it is given', async () => {
    const odd = { ...asked, request: { ...asked.request, text: 1n as unknown as string } };
    const { zone, logger } = open(() => done);
    expect(await zone.ask(odd, { signal: never() })).toEqual({ is: 'failed', text: sentences.failed });
    expect(logger.lines.at(-1)).toMatchObject(['a question could not be asked', { id: asked.id }]);
    let brought = 0;
    const send = async (body: string) =>
      brought++ === 0
        ? (undefined as unknown as string)
        : JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(body) as Sent).id, ...done });
    expect((await open(() => done, { send }).zone.ask(asked, { signal: never() })).text).toBe('yes');
  });

  it('stops where somebody else goes on with the question', async () => {
    const { zone, sent } = open(() => ({ result: { status: 'accepted', task_id: 't-1' } }));
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
    const { zone, sent } = open(({ method }, count) => {
      if (method === 'execute_task') return { result: { status: 'accepted', task_id: 't-1' } };
      return inBetween[count - 2] ?? done;
    });
    expect(await zone.ask(asked, { signal: never() })).toEqual({ is: 'answered', text: 'yes' });
    expect(sent).toHaveLength(inBetween.length + 2);
    for (const said of inBetween)
      expect((await open(() => said).zone.ask(asked, { signal: never() })).is).toBe('failed');
  });

  it.each(['unknown_task', 'timeout', 'task_failed', 'cancelled'] as const)(
    'takes %s for the end of an accepted task',
    async (name) => {
      const { zone, sent } = open(({ method }) =>
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
    const { zone } = open(
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
    const { zone } = open(() => done, { send, deadline_ms: 20 });
    expect((await zone.ask(asked, { signal: never() })).text).toBe(sentences.busy);
  });

  it('has no longer than its deadline where the clock was set back', async () => {
    const { zone } = open(() => new Promise<Said>(() => {}), { deadline_ms: 20 });
    const ahead = { ...asked, received_at: 3_600_000 };
    expect((await zone.ask(ahead, { signal: never() })).text).toBe(sentences.too_late);
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
