import { describe, expect, it } from 'vitest';
import { errorRecord } from '../core/errors.ts';
import { lastErrorOf } from './last-error.ts';
import { failed, poolOf, settingsOf, TestQueue } from './queue.suite.ts';

/** A provider whose breaker has opened and then waits, by its own setting, for so long. */
async function broken(more: object = {}) {
  const queue = new TestQueue();
  let answer = failed('GLZ2001');
  const breaker = { ...settingsOf().breaker, failures: 2, cooldown_ms: 1000 };
  queue.provider('one', () => ({ ms: 1, answer }), { settings: { breaker, ...more } });
  queue.pools.configure('a/v1', poolOf());
  queue.submit({ id: 'a' }, { id: 'b' });
  await queue.time.advance(5);
  const status = () => {
    const found = queue.pools.status('one');
    if (found === null) throw new Error('it is gone');
    return found;
  };
  const answers = (next: typeof answer) => {
    answer = next;
  };
  return { queue, status, answers };
}

describe('the next time a provider is tried', () => {
  it('is that of its breaker', async () => {
    const { queue, status } = await broken();
    const { next_probe, breakers } = status();
    expect(next_probe).toBe(breakers[0]?.next_probe);
    expect((next_probe ?? 0) - queue.time.wall()).toBeGreaterThan(900);
  });

  it('is not before the time is over for which it asked to be left alone', async () => {
    const { queue, status, answers } = await broken();
    answers(failed('GLZ2004', 60_000));
    queue.submit({ id: 'c' });
    await queue.time.advance(1100);
    const { next_probe, paused_until, breakers } = status();
    expect((paused_until ?? 0) - queue.time.wall()).toBeGreaterThan(59_000);
    expect(next_probe).toBeGreaterThanOrEqual(paused_until ?? 0);
    for (const breaker of breakers)
      if (breaker.next_probe !== null) expect(breaker.next_probe).toBeGreaterThanOrEqual(paused_until ?? 0);
  });

  it('is not known where somebody has to resume it first', async () => {
    const { queue, status } = await broken();
    queue.pools.drain('one');
    const { state, next_probe, breakers } = status();
    expect([state, next_probe, breakers.map((breaker) => breaker.next_probe)]).toEqual([
      'drained',
      null,
      [null],
    ]);
    queue.pools.resume('one');
    expect(status().state).toBe('connected');
  });

  it('and how long answers took, is told without digits that mean nothing', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 12.345678 }));
    queue.submit({ id: 'a' });
    await queue.time.advance(20);
    expect(queue.pools.status('one')?.latency.p50_ms).toBe(12.35);
  });
});

describe('the last error of a program', () => {
  it('that ended is that it has, and not what it might have said', () => {
    const details = { exit_code: 3, signal: null, stderr: 'the token is 123' };
    const error = errorRecord('GLZ2002', 'node ended with exit code 3', { details });
    expect(lastErrorOf(error, 0).message).toBe('node ended with exit code 3');
    const said = errorRecord('GLZ2002', 'the token is 123', { details, remote_code: 7 });
    expect(lastErrorOf(said, 0).message).toBe('the service answered with an error');
  });
});
