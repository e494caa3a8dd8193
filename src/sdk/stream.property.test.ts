import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientOver } from './index.ts';
import type { OpenPipe, PipeReceiver } from './pipe.ts';

type Following = { readonly id: string; cursor: number };
type Request = { readonly id: number; readonly method: string; readonly params: Record<string, unknown> };

/** A server with a log of numbered events, which sends when it is told to, over pipes that break when they are told to. */
class LoggingServer {
  newest = 0;
  #receiver: PipeReceiver | null = null;
  #following: Following[] = [];
  #refusals = 0;
  #openings = 0;
  #subscriptions = 0;

  readonly open: OpenPipe = async (receiver) => {
    if (this.#openings++ % 3 === 2) throw new Error('not now');
    this.#receiver = receiver;
    this.#following = [];
    return { send: (text) => this.#hear(JSON.parse(text), receiver), close: () => this.#end(receiver) };
  };

  refuse(times: number): void {
    this.#refusals = times;
  }

  /** Sends the next events to whoever follows, and some that were sent before or belong to nobody. */
  send(count: number): void {
    for (const following of this.#following)
      for (let n = 0; n < count && following.cursor < this.newest; n++)
        this.#tell(following.id, ++following.cursor);
    this.#tell('nobody', this.newest);
    for (const { id, cursor } of this.#following) if (cursor > 0) this.#tell(id, cursor);
  }

  cut(): void {
    const receiver = this.#receiver;
    this.#receiver = null;
    receiver?.closed('cut');
  }

  #end(receiver: PipeReceiver): void {
    if (this.#receiver === receiver) this.#receiver = null;
  }

  #tell(subscription_id: string, cursor: number): void {
    const params = { subscription_id, cursor, event: 'task:queued', at: '', data: {} };
    this.#receiver?.message(JSON.stringify({ jsonrpc: '2.0', method: 'event', params }));
  }

  #hear({ id, method, params }: Request, receiver: PipeReceiver): void {
    if (this.#receiver !== receiver) return;
    const reply = (said: object) => receiver.message(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
    if (method === 'system.info') reply({ result: {} });
    else if (method === 'event.unsubscribe') {
      this.#following = this.#following.filter((each) => each.id !== params['subscription_id']);
      reply({ result: {} });
    } else if (this.#refusals-- > 0) {
      reply({ error: { code: 3001, message: 'the store is away', data: { error_code: 'GLZ3001' } } });
    } else {
      const following = { id: `s${++this.#subscriptions}`, cursor: Number(params['cursor'] ?? this.newest) };
      this.#following.push(following);
      reply({ result: { subscription_id: following.id, cursor: following.cursor } });
    }
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('happen' as const), n: fc.integer({ min: 1, max: 2000 }) }),
  fc.record({ kind: fc.constant('send' as const), n: fc.integer({ min: 1, max: 2500 }) }),
  fc.record({ kind: fc.constant('take' as const), n: fc.integer({ min: 1, max: 2000 }) }),
  fc.record({ kind: fc.constant('cut' as const), n: fc.constant(0) }),
  fc.record({ kind: fc.constant('refuse' as const), n: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('pass' as const), n: fc.integer({ min: 1, max: 15_000 }) }),
);

describe('events', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('arrive once and in order, whatever breaks and however slowly they are taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        vi.clearAllTimers();
        const server = new LoggingServer();
        const client = clientOver(server.open, { reconnect: { give_up_ms: Infinity } });
        const events = client.events({ cursor: 0 });
        const begun = events.subscribed();
        await vi.advanceTimersByTimeAsync(1000);
        await begun;
        const taken: (number | undefined)[] = [];
        const take = () => events.next().then(({ value }) => taken.push(value?.cursor));
        let asked = 0;
        for (const { kind, n } of steps) {
          if (kind === 'happen') server.newest += n;
          else if (kind === 'send') server.send(n);
          else if (kind === 'cut') server.cut();
          else if (kind === 'refuse') server.refuse(n);
          else if (kind === 'pass') await vi.advanceTimersByTimeAsync(n);
          else for (; asked < Math.min(server.newest, taken.length + n); asked++) void take();
          await vi.advanceTimersByTimeAsync(0);
        }
        for (; asked < server.newest; asked++) void take();
        for (let round = 0; taken.length < server.newest && round < 1000; round++) {
          await vi.advanceTimersByTimeAsync(10_000);
          server.send(1500);
          await vi.advanceTimersByTimeAsync(0);
        }
        expect(taken).toEqual(Array.from({ length: server.newest }, (_, index) => index + 1));
        client.close();
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
