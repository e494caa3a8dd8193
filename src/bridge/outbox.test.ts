import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { Outbox, type Outgoing } from './outbox.ts';

type Flight = { readonly values: string[]; resolve(): void; reject(error: Error): void; signal: AbortSignal };

/** A box whose flights end when the test says so. */
function box(options: { publish_timeout_ms?: number; most_bytes?: number; most_messages?: number } = {}) {
  const flights: Flight[] = [];
  let arrived = () => {};
  const outbox = new Outbox({
    where: 'here',
    publish_timeout_ms: 10_000,
    most_bytes: 1000,
    most_messages: 100,
    ...options,
    send: (batch: readonly Outgoing[], signal) =>
      new Promise((resolve, reject) => {
        const values = batch.map(({ message }) => String(message.value));
        flights.push({ values, resolve, reject, signal });
        arrived();
      }),
  });
  const flight = async (number: number): Promise<Flight> => {
    for (;;) {
      const found = flights[number];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  };
  return { outbox, flights, flight };
}

const message = (value: string) => ({ key: '', value });

describe('the outbox', () => {
  it('sends what is published in one tick together, and what comes meanwhile after it', async () => {
    const { outbox, flights, flight } = box();
    const first = [outbox.publish('t', [message('1')]), outbox.publish('t', [message('2'), message('3')])];
    const one = await flight(0);
    const second = outbox.publish('t', [message('4')]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(flights.map(({ values }) => values)).toEqual([['1', '2', '3']]);
    one.resolve();
    await Promise.all(first);
    (await flight(1)).resolve();
    await second;
    expect(flights.map(({ values }) => values)).toEqual([['1', '2', '3'], ['4']]);
  });

  it('sends so much at once and no more, and a call is done when all of it is', async () => {
    const { outbox, flight } = box({ most_bytes: 25, most_messages: 3 });
    const published = outbox.publish('t', ['1', '2', '3', '4', 'x'.repeat(24), 'y'.repeat(40)].map(message));
    let done = false;
    void published.then(() => {
      done = true;
    });
    for (const expected of [['1', '2', '3'], ['4', 'x'.repeat(24)], ['y'.repeat(40)]]) {
      const next = await flight(['1', '4', 'y'].indexOf(expected[0]?.[0] ?? ''));
      expect(next.values).toEqual(expected);
      expect(done).toBe(false);
      next.resolve();
    }
    await published;
  });

  it('tells those whose batch failed, and only them', async () => {
    const { outbox, flight } = box({ most_messages: 2 });
    const fails = outbox.publish('t', [message('1'), message('2'), message('3')]);
    const goes = outbox.publish('t', [message('4')]);
    (await flight(0)).reject(new Error('cut off'));
    await expect(fails).rejects.toMatchObject({
      code: 'GLZ3201',
      message: expect.stringContaining('cut off'),
    });
    const next = await flight(1);
    expect(next.values).toEqual(['4']);
    next.resolve();
    await goes;
  });

  it('finds the one that is refused for good, and brings the others', async () => {
    const sent: string[] = [];
    const outbox = new Outbox({
      where: 'here',
      publish_timeout_ms: 10_000,
      most_bytes: 1000,
      most_messages: 100,
      async send(batch) {
        const values = batch.map((outgoing) => String(outgoing.message.value));
        if (values.includes('bad')) throw new GleitzeitError('GLZ3202', 'too bad');
        sent.push(...values);
      },
    });
    const calls = ['1', '2', 'bad', '3', '4'].map((value) => outbox.publish('t', [message(value)]));
    const ended = await Promise.allSettled(calls);
    expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true]);
    await expect(calls[2]).rejects.toMatchObject({ code: 'GLZ3202' });
    expect(sent).toEqual(['1', '2', '3', '4']);
  });

  it('waits so long and no longer, and drops what was not sent by then', async () => {
    const { outbox, flight } = box({ publish_timeout_ms: 50, most_messages: 1 });
    const calls = [outbox.publish('t', [message('1')]), outbox.publish('t', [message('2')])];
    const one = await flight(0);
    for (const call of calls)
      await expect(call).rejects.toMatchObject({
        code: 'GLZ3201',
        message: expect.stringContaining('50 ms'),
      });
    if (!one.signal.aborted) await new Promise((resolve) => one.signal.addEventListener('abort', resolve));
    one.reject(new Error('aborted'));
    const last = outbox.publish('t', [message('3')]);
    const next = await flight(1);
    expect(next.values).toEqual(['3']);
    next.resolve();
    await last;
  });

  it('does not take more than it can hold', async () => {
    const { outbox, flight } = box();
    const large = 'x'.repeat(40 * 1024 * 1024);
    const first = outbox.publish('t', [message(large)]);
    await expect(outbox.publish('t', [message(large)])).rejects.toMatchObject({
      code: 'GLZ3201',
      message: expect.stringContaining('bytes wait'),
    });
    (await flight(0)).resolve();
    await first;
  });

  it('sends what it has when it is closed, and takes no more', async () => {
    const { outbox, flight } = box({ most_messages: 1 });
    const calls = [outbox.publish('t', [message('1')]), outbox.publish('t', [message('2')])];
    const closed = outbox.close(10_000);
    await expect(outbox.publish('t', [message('3')])).rejects.toMatchObject({ code: 'GLZ9002' });
    (await flight(0)).resolve();
    (await flight(1)).resolve();
    await Promise.all([...calls, closed]);
  });

  it('gives up at the deadline', async () => {
    const { outbox, flight } = box({ most_messages: 1 });
    const calls = [outbox.publish('t', [message('1')]), outbox.publish('t', [message('2')])];
    const ended = Promise.allSettled(calls);
    const one = await flight(0);
    one.signal.addEventListener('abort', () => one.reject(new Error('aborted')));
    await outbox.close(20);
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
