import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { answerBefore, CallEnd } from './deadline.ts';
import { done } from './testing/provider.suite.ts';
import { VirtualTime } from './testing/virtual-time.suite.ts';

const taken = () => new GleitzeitError('GLZ2009', 'taken away');

describe('the end of a call', () => {
  it('aborts the signal with its reason, once', () => {
    const end = new CallEnd();
    const { signal } = end;
    let aborted = 0;
    signal.addEventListener('abort', () => aborted++);
    const reason = taken();
    end.end(reason);
    end.end(new GleitzeitError('GLZ2003', 'later'));
    expect([signal.aborted, signal.reason, aborted]).toEqual([true, reason, 1]);
    expect(end.signal).toBe(signal);
  });

  it('is seen by a signal that is asked for afterwards', () => {
    const end = new CallEnd();
    const reason = taken();
    end.end(reason);
    expect(end.signal.aborted).toBe(true);
    expect(end.signal.reason).toBe(reason);
  });

  it('is told to who listens, before or after, once', () => {
    const told: unknown[] = [];
    const end = new CallEnd();
    end.onEnd((reason) => told.push(reason.message));
    end.end(taken());
    end.end(taken());
    expect(told).toEqual(['taken away']);
    end.onEnd((reason) => told.push(`again: ${reason.message}`));
    expect(told).toEqual(['taken away', 'again: taken away']);
  });
});

it.each(['timeout', 'total_timeout'])('a call that %s ends says which of the two to raise', async (what) => {
  const time = new VirtualTime();
  const limit = { timers: time, ms: 10, what };
  const answer = answerBefore(new Promise<Answer>(() => {}), new CallEnd(), limit);
  await time.advance(10);
  expect(await answer).toMatchObject({
    error: { data: { field: what, hint: `raise the ${what} of the task if the service needs longer` } },
  });
});

describe('the answer before the deadline', () => {
  function setUp(ms = 1500) {
    const time = new VirtualTime();
    const end = new CallEnd();
    const call = Promise.withResolvers<Answer>();
    const answer = answerBefore(call.promise, end, { timers: time, ms, what: 'timeout' });
    return { time, end, call, answer };
  }

  it('is the answer of the call, and leaves no timer', async () => {
    const { time, call, answer } = setUp();
    call.resolve(done('x'));
    expect(await answer).toEqual({ word: 'done', result: '"x"' });
    expect(time.pending).toBe(0);
  });

  it('is a timeout when the call takes too long, and then the signal is aborted', async () => {
    const { time, call, end, answer } = setUp();
    await time.advance(1500);
    expect(await answer).toMatchObject({
      word: 'failed',
      error: { message: 'no answer within 1.5 s', data: { error_code: 'GLZ2003', field: 'timeout' } },
    });
    expect(end.signal.aborted).toBe(true);
    call.reject(new Error('late, and nobody listens'));
    await time.settle();
  });

  it('is what ended the call, also when that came before', async () => {
    const { time, end, answer } = setUp();
    end.end(taken());
    expect(await answer).toMatchObject({ word: 'failed', error: { message: 'taken away' } });
    expect(time.pending).toBe(0);
    const late = answerBefore(new Promise<Answer>(() => {}), end, { timers: time, ms: 1, what: 'timeout' });
    expect(await late).toMatchObject({ word: 'failed', error: { message: 'taken away' } });
    expect(time.pending).toBe(0);
  });

  it('is a failure of the provider when the call rejects, with its own code if it has one', async () => {
    const one = setUp();
    one.call.reject(new Error('broke'));
    expect(await one.answer).toMatchObject({ error: { message: 'broke', data: { error_code: 'GLZ2001' } } });
    const other = setUp();
    other.call.reject(new GleitzeitError('GLZ2002', 'gone'));
    expect(await other.answer).toMatchObject({ error: { data: { error_code: 'GLZ2002' } } });
    expect(one.time.pending + other.time.pending).toBe(0);
  });
});
