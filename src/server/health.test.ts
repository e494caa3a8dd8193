import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { alive, readiness } from './health.ts';

function setUp(cursor: () => Promise<number>, trouble: GleitzeitError | null = null) {
  const time = new VirtualTime();
  let asked = 0;
  const reads = {
    cursor: () => {
      asked++;
      return cursor();
    },
  };
  const ready = readiness({ engine: { trouble }, reads, clock: time, timers: time });
  return { time, ready, asked: () => asked };
}

const unavailable = (error_code: string, reason: string) => ({
  status: 503,
  body: JSON.stringify({ status: 'unavailable', error_code, reason }),
});

describe('readiness', () => {
  it('is told where the store answers', async () => {
    const { ready } = setUp(async () => 1);
    expect(await ready()).toMatchObject({ status: 200, body: '{"status":"ready"}' });
    expect(alive()).toMatchObject({ status: 200 });
  });

  it('is denied where the store took no commit the last time', async () => {
    const { ready } = setUp(async () => 1, new GleitzeitError('GLZ3003', 'no space on /var/lib/secret'));
    expect(await ready()).toMatchObject(unavailable('GLZ3003', 'store_full'));
  });

  it('is denied where the store fails, in words that tell nothing of where it is', async () => {
    const { ready } = setUp(() => Promise.reject(new Error('connect to db.internal refused')));
    expect(await ready()).toMatchObject(unavailable('GLZ9001', 'internal'));
  });

  it('is denied where the store says nothing', async () => {
    const { ready, time } = setUp(() => new Promise(() => {}));
    expect(await time.until(ready())).toMatchObject(unavailable('GLZ3001', 'store_unavailable'));
  });

  it('is looked for now and then, however many ask', async () => {
    const { ready, time, asked } = setUp(async () => 1);
    await Promise.all(Array.from({ length: 100 }, ready));
    expect(asked()).toBe(1);
    await time.advance(600);
    await ready();
    expect(asked()).toBe(2);
    expect(time.pending).toBe(0);
  });
});
