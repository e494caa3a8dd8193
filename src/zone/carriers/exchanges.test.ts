import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CarrierError } from '../carrier.ts';
import { Exchanges } from './exchanges.ts';

const never = new AbortController().signal;

function request(text: string, id: string = randomUUID()) {
  const params = { channel: 'C1', text, bot_token: 'xoxb-1' };
  return { id, body: JSON.stringify({ jsonrpc: '2.0', id, method: 'execute_task', params }) };
}

function answer(id: string | null, result: string): string {
  return JSON.stringify({ jsonrpc: '2.0', result, id });
}

function refusal(id: string | null): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message: 'no' }, id });
}

/** Exchanges over a connection that keeps what it is given. */
function open() {
  const exchanges = new Exchanges('test');
  const sent: string[] = [];
  const send = (body: string, signal = never) =>
    exchanges.open(body, signal, (text) => void sent.push(text)).catch((error: unknown) => error);
  return { exchanges, sent, send };
}

const broken = new CarrierError('it broke', { trouble: 'unreachable', arrived: 'maybe' });
const tooLarge = new CarrierError('too much', { trouble: 'too_large', arrived: 'no' });

describe('requests of one id', () => {
  it('go out once where they are the same, and each hears the response', async () => {
    const { exchanges, sent, send } = open();
    const { id, body } = request('same');
    const all = [send(body), send(body), send(body)];
    exchanges.received(answer(id, 'done'));
    expect(await Promise.all(all)).toEqual(Array(3).fill(answer(id, 'done')));
    expect(sent).toEqual([body]);
    void send(body);
    expect(sent).toEqual([body, body]);
  });

  it('go out one after the other where they are not', async () => {
    const { exchanges, sent, send } = open();
    const { id, body } = request('one');
    const other = request('other', id);
    const [first, second, third] = [send(body), send(other.body), send(other.body)];
    expect(sent).toEqual([body]);
    exchanges.received(answer(id, 'first'));
    expect(await first).toBe(answer(id, 'first'));
    expect(sent).toEqual([body, other.body]);
    exchanges.received(answer(id, 'second'));
    expect([await second, await third]).toEqual(Array(2).fill(answer(id, 'second')));
  });

  it('make way when they are given up by all who sent them', async () => {
    const { sent, send } = open();
    const { id, body } = request('one');
    const giving = new AbortController();
    const [first, again] = [send(body, giving.signal), send(body, giving.signal)];
    void send(request('other', id).body);
    giving.abort();
    expect(await first).toMatchObject({ trouble: 'aborted', arrived: 'maybe' });
    expect(await again).toMatchObject({ trouble: 'aborted', arrived: 'maybe' });
    expect(sent).toHaveLength(2);
  });

  it('are let go while they stand behind another, and never go out then', async () => {
    const { exchanges, sent, send } = open();
    const { id, body } = request('one');
    const giving = new AbortController();
    const first = send(body);
    const behind = send(request('other', id).body, giving.signal);
    giving.abort();
    expect(await behind).toMatchObject({ trouble: 'aborted', arrived: 'no' });
    exchanges.received(answer(id, 'done'));
    expect(await first).toBe(answer(id, 'done'));
    expect(sent).toEqual([body]);
  });

  it('all fail with the connection, and those behind have not arrived', async () => {
    const { exchanges, sent, send } = open();
    const { id, body } = request('one');
    const all = [send(body), send(body), send(request('other', id).body)];
    exchanges.failAll(broken);
    expect(await Promise.all(all)).toMatchObject([
      { arrived: 'maybe' },
      { arrived: 'maybe' },
      { trouble: 'unreachable', arrived: 'no' },
    ]);
    expect(sent).toHaveLength(1);
  });

  it('are not sent after nobody waits any more, however late the connection is there', async () => {
    const exchanges = new Exchanges('test');
    const connected = Promise.withResolvers<void>();
    const seen: boolean[] = [];
    const slowly = async (_: string, wanted: () => boolean) => {
      await connected.promise;
      seen.push(wanted());
    };
    const { body } = request('one');
    const giving = new AbortController();
    const first = exchanges.open(body, giving.signal, slowly).catch((error: unknown) => error);
    giving.abort();
    await first;
    void exchanges.open(body, never, slowly);
    connected.resolve();
    await expect.poll(() => seen).toEqual([false, true]);
  });
});

describe('what does not say whose it is', () => {
  it('answers the request without an id before any other', async () => {
    const { exchanges, send } = open();
    const [none] = [send('['), send(request('one').body)];
    exchanges.received(refusal(null));
    expect(await none).toBe(refusal(null));
  });

  it('answers the only request there is where it is an error, and nobody where there are more', async () => {
    const { exchanges, send } = open();
    const { id, body } = request('one');
    const [one, other] = [send(body), request('other')];
    const two = send(other.body);
    exchanges.received(refusal(null));
    exchanges.received(answer(other.id, 'two'));
    expect(await two).toBe(answer(other.id, 'two'));
    exchanges.received('{"jsonrpc":"2.0","method":"progress"}');
    exchanges.received('no JSON');
    exchanges.received(refusal(null));
    expect(await one).toBe(refusal(null));
    expect(id).not.toBe(other.id);
  });

  it('on one side, and whose it is on the other, is told by what the request begins with', async () => {
    const { exchanges, send } = open();
    const { id, body } = request('one');
    const unreadable = body.replace('"2.0"', '"1.0"');
    const all = [send(unreadable), send(request('beside').body)];
    exchanges.received(refusal(randomUUID()));
    exchanges.received(refusal(id));
    expect(await all[0]).toBe(refusal(id));
  });

  it('and is not taken, fails the only one, or lets all of them come again', async () => {
    const { exchanges, send } = open();
    const alone = send(request('one').body);
    exchanges.refused(null, tooLarge);
    expect(await alone).toBe(tooLarge);
    const { id, body } = request('two');
    const all = [send(body), send(request('three').body)];
    exchanges.refused(id, tooLarge);
    expect(await all[0]).toBe(tooLarge);
    const more = send(request('four').body);
    exchanges.refused(null, tooLarge);
    const passing = { trouble: 'unreachable', arrived: 'maybe', mayPass: true };
    expect([await all[1], await more]).toMatchObject([passing, passing]);
  });
});

describe('a connection that ended because of a request that is too large', () => {
  it('is held against the largest; the others may come again', async () => {
    const { exchanges, send } = open();
    const [small, large] = [send(request('x').body), send(request('ü'.repeat(100)).body)];
    exchanges.failLargest(tooLarge);
    expect(await large).toBe(tooLarge);
    expect(await small).toMatchObject({ trouble: 'unreachable', arrived: 'maybe' });
  });

  it('is held against nobody where a larger one was given up before', async () => {
    const { exchanges, send } = open();
    const giving = new AbortController();
    const gone = send(request('x'.repeat(100)).body, giving.signal);
    giving.abort();
    await gone;
    const small = send(request('x').body);
    exchanges.failLargest(tooLarge);
    expect(await small).toMatchObject({ trouble: 'unreachable', arrived: 'maybe' });
    const next = send(request('x').body);
    exchanges.failLargest(tooLarge);
    expect(await next).toBe(tooLarge);
  });
});

/** Sends, gives up, answers, and breaks, in any order. */
const steps = fc.array(
  fc.record({
    does: fc.constantFrom('send', 'send', 'send', 'give up', 'answer', 'break'),
    which: fc.nat(7),
    id: fc.constantFrom('a', 'b', null),
    body: fc.nat(1),
  }),
  { maxLength: 40 },
);

it('every request is settled once it is answered, given up or broken, and by a response of its own', async () => {
  const ids = { a: randomUUID(), b: randomUUID() };
  const bodies = (id: 'a' | 'b' | null, body: number) =>
    id === null ? '['.repeat(body + 1) : request(String(body), ids[id]).body;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const exchanges = new Exchanges('test');
      const wire: string[] = [];
      const sends: { body: string; giving: AbortController; settled: Promise<unknown> }[] = [];
      const answerNext = () => {
        const body = wire.shift();
        if (body === undefined) return;
        const id = body.startsWith('[') ? null : (JSON.parse(body) as { id: string }).id;
        exchanges.received(JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message: body }, id }));
      };
      for (const { does, which, id, body } of all) {
        if (does === 'send') {
          const text = bodies(id, body);
          const giving = new AbortController();
          const settled = exchanges
            .open(text, giving.signal, (sent) => void wire.push(sent))
            .catch((error: unknown) => error);
          sends.push({ body: text, giving, settled });
        } else if (does === 'give up') sends[which]?.giving.abort();
        else if (does === 'answer') answerNext();
        else {
          wire.length = 0;
          exchanges.failAll(broken);
        }
      }
      while (wire.length > 0) answerNext();
      const given_up = sends.some(({ giving }) => giving.signal.aborted);
      for (const { body, settled } of sends) {
        const said = await settled;
        if (said instanceof CarrierError) expect(['aborted', 'unreachable']).toContain(said.trouble);
        // A late response to what was given up is taken for what came under its id after it.
        else if (!given_up)
          expect((JSON.parse(String(said)) as { error: { message: string } }).error.message).toBe(body);
      }
    }),
  );
});
