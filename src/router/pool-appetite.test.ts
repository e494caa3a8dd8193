import { describe, expect, it } from 'vitest';
import { insatiable } from '../core/pool/appetite.ts';
import { nobodyCame } from '../core/ports/router.ts';
import { answered, failed, poolOf, TestQueue } from './queue.suite.ts';

const rate = { per_ms: 0.01, burst: 10 };
const limits = { concurrency: null, rate };

describe('how many tasks a pool has use for', () => {
  it('is any number without limits, for a protocol that nobody serves, and with limits by key', () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 1 }));
    expect(queue.pools.appetite('a/v1')).toEqual(insatiable);
    expect(queue.pools.appetite('nobody/v1')).toEqual(insatiable);
    const per_key = { key: 'params.user', concurrency: 1, rate: null };
    queue.pools.configure('a/v1', poolOf({ limits, per_key }));
    expect(queue.pools.appetite('a/v1')).toEqual(insatiable);
    expect(queue.pools.heldBackBy('a/v1')).toBeNull();
  });

  it('is what the limits leave, and a line that is long enough to be called for several at a time', () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 1 }), { settings: { limits } });
    expect(queue.pools.appetite('a/v1')).toEqual({ room: 10, line: 150 });
    queue.pools.configure('a/v1', poolOf({ limits: { concurrency: 4, rate: null } }));
    expect(queue.pools.appetite('a/v1')).toEqual({ room: 4, line: 150 });
    expect(queue.pools.heldBackBy('a/v1')).toBeNull();
  });

  it('is a line alone while its only provider has asked to be left alone', async () => {
    const queue = new TestQueue();
    let well = false;
    queue.provider('p1', () => ({ ms: 1, answer: well ? answered : failed('GLZ2004', 5000) }));
    queue.submit({ id: 't1' });
    await queue.time.advance(10);
    expect(queue.pools.appetite('a/v1')).toEqual({ room: 0, line: 64 });
    expect(queue.pools.heldBackBy('a/v1')).toMatchObject({ kind: 'rate', key: 'provider p1' });
    await queue.time.advance(5000);
    expect(queue.pools.appetite('a/v1')).toEqual({ room: 1, line: 64 });
    well = true;
    queue.submit(...Array.from({ length: 70 }, (_, index) => ({ id: `w${index}` })));
    await queue.time.advance(200);
    expect(queue.pools.appetite('a/v1')).toEqual(insatiable);
  });

  it('is for fewer the more wait while nobody may be asked, whatever the reason', async () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 1 }));
    queue.pools.drain('p1');
    expect(queue.pools.appetite('a/v1')).toEqual({ room: 0, line: 64 });
    queue.submit(...Array.from({ length: 60 }, (_, index) => ({ id: `t${index}` })));
    expect(queue.pools.appetite('a/v1')).toEqual({ room: 0, line: 4 });
    expect(queue.pools.heldBackBy('a/v1')).toMatchObject({ kind: 'drained', key: 'provider p1' });
  });

  it('is told with the lane of those who are called', async () => {
    const queue = new TestQueue();
    const lanes: (string | undefined)[] = [];
    queue.pools.onRoom(async ({ lane }) => {
      lanes.push(lane);
      return nobodyCame;
    });
    queue.provider('p1', () => ({ ms: 1 }), { settings: { limits: { concurrency: 1, rate: null } } });
    queue.submit({ id: 't1' }, { id: 't2' });
    await queue.time.advance(10);
    expect(new Set(lanes)).toEqual(new Set(['a/v1']));
  });
});
