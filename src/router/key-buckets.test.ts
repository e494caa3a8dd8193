import { describe, expect, it } from 'vitest';
import { readSheet } from '../core/pool/sheet-text.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { KeyBuckets } from './key-buckets.ts';
import { QuotaSheet } from './quota-sheet.ts';
import type { Tokens } from './tokens.ts';

const WRITE_MS = 5;
const rate = { per_ms: 10 / 1000, burst: 10 };

/** A sheet that one engine has for itself, in a store that takes a moment for each write. */
async function setUp() {
  const time = new VirtualTime();
  const written: { at: number; keys: number }[] = [];
  let stored: { text: string; version: number } | null = null;
  const sheet = new QuotaSheet('keys a/v1 0', {
    state: {
      read: async () => stored,
      write: async (_name, text, expected) => {
        await new Promise<void>((resolve) => time.after(WRITE_MS, resolve));
        stored = { text, version: expected + 1 };
        written.push({ at: time.monotonic(), keys: text.split('user=').length - 1 });
        return { version: stored.version };
      },
    },
    engines: async () => ['me'],
    clock: time,
    timers: time,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    more: () => {},
  });
  sheet.joined('me');
  await time.advance(100);
  written.splice(0);
  let users = 0;
  /** A call each millisecond, each of another user. */
  const work = async (ms: number) => {
    for (let passed = 0; passed < ms; passed++) {
      const tokens = sheet.buckets.tokens(`user=${users++}`, rate);
      expect(tokens.free(time.monotonic())).toBe(10);
      tokens.take(time.monotonic());
      await time.advance(1);
    }
  };
  const taken = () => (stored === null ? [] : [...readSheet(stored.text).buckets]);
  return { time, sheet, written, work, taken };
}

describe('rates of many keys', () => {
  it('come back from the moment to which the clock was set back', async () => {
    const time = new VirtualTime();
    let jump = 0;
    const wall = () => time.wall() + jump;
    const clock = { wall, monotonic: () => time.monotonic() };
    const buckets = new KeyBuckets({ clock, isWhole: () => true, look: () => {} });
    const tokens = buckets.tokens('user=7', rate);
    buckets.settle({ buckets: new Map(), at: null }, 'we', 'by us').apply();
    for (let taken = 0; taken < 10; taken++) tokens.take(time.monotonic());
    jump = -3_600_000;
    const free: number[] = [];
    for (let second = 0; second < 10; second++) {
      free.push(tokens.free(time.monotonic()));
      await time.advance(100);
    }
    expect(free).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('are not written where nobody has taken any', async () => {
    const { time, sheet, written, work } = await setUp();
    await work(1);
    await time.advance(3000);
    written.splice(0);
    sheet.seen(99);
    await time.advance(5000);
    expect(written).toEqual([]);
    sheet.stop();
  });

  it('are written once a second, also where calls begin while they are written', async () => {
    const { time, sheet, written, work } = await setUp();
    await work(10_000);
    expect(written.length).toBeGreaterThanOrEqual(10);
    expect(written.length).toBeLessThanOrEqual(12);
    await time.advance(5000);
    expect(written.at(-1)?.keys).toBe(0);
    expect(time.pending).toBe(0);
    sheet.stop();
  });

  it('are remembered only while they are not full again', async () => {
    const { sheet, written, work } = await setUp();
    await work(5000);
    // A token comes back after 100 ms.
    expect(Math.max(...written.map(({ keys }) => keys))).toBeLessThanOrEqual(101);
    sheet.stop();
  });
});

/** How many are here for somebody who wants to begin. */
function wanted(tokens: Tokens, now: number): number {
  tokens.want(now);
  return tokens.free(now);
}

describe('a rate that comes back slowly', () => {
  const hourly = { per_ms: 4 / 3_600_000, burst: 4 };

  it('is written before it is used', async () => {
    const { time, sheet, taken } = await setUp();
    const tokens = sheet.buckets.tokens('user=7', hourly);
    expect(wanted(tokens, time.monotonic())).toBe(0);
    await time.advance(WRITE_MS - 1);
    expect([wanted(tokens, time.monotonic()), tokens.nextAt(time.monotonic()), taken()]).toEqual([
      0,
      null,
      [],
    ]);
    await time.advance(1);
    expect(wanted(tokens, time.monotonic())).toBe(1);
    expect(taken()).toEqual([['user=7', { tokens: 3, at: expect.any(Number) }]]);
    sheet.stop();
  });

  it('is fetched in larger parts where one follows another, and what is not used goes back', async () => {
    const { time, sheet, taken, written } = await setUp();
    const limit = { ...hourly, burst: 100 };
    const tokens = sheet.buckets.tokens('user=7', limit);
    for (let calls = 0; calls < 33; calls++) {
      while (wanted(tokens, time.monotonic()) === 0) await time.advance(1);
      tokens.take(time.monotonic());
    }
    expect(written.length).toBeLessThanOrEqual(7);
    expect(taken()[0]?.[1].tokens).toBeLessThan(67);
    await time.advance(2100);
    expect(tokens.left(time.monotonic())).toBe(0);
    expect(Math.floor(taken()[0]?.[1].tokens ?? 0)).toBe(67);
    expect(time.pending).toBe(0);
    expect(tokens.isFull(time.monotonic())).toBe(true);
    sheet.stop();
  });

  it('has back what was not used of one slice also where the next is fetched with it', async () => {
    const { time, sheet, taken } = await setUp();
    const tokens = sheet.buckets.tokens('user=7', hourly);
    for (const rest of [2001, 2001, 10]) {
      wanted(tokens, time.monotonic());
      await time.advance(rest);
    }
    expect(tokens.left(time.monotonic())).toBe(1);
    expect(Math.floor(taken()[0]?.[1].tokens ?? 0)).toBe(3);
    sheet.stop();
  });

  it('costs nothing while it waits for the next', async () => {
    const { time, sheet, written } = await setUp();
    const tokens = sheet.buckets.tokens('user=7', { ...hourly, burst: 1 });
    wanted(tokens, time.monotonic());
    await time.advance(10);
    tokens.take(time.monotonic());
    expect(wanted(tokens, time.monotonic())).toBe(0);
    await time.advance(10);
    expect(tokens.nextAt(time.monotonic())).toBeGreaterThan(890_000);
    written.splice(0);
    for (let turn = 0; turn < 100; turn++) {
      expect(wanted(tokens, time.monotonic())).toBe(0);
      await time.advance(8000);
    }
    expect(written).toEqual([]);
    await time.advance(100_000);
    wanted(tokens, time.monotonic());
    await time.advance(10);
    expect(wanted(tokens, time.monotonic())).toBe(1);
    sheet.stop();
  });

  it('goes on from what was counted when it was a faster one, and the other way round', async () => {
    const { time, sheet, taken } = await setUp();
    const fast = sheet.buckets.tokens('user=7', rate);
    for (let calls = 0; calls < 10; calls++) fast.take(time.monotonic());
    const slow = sheet.buckets.tokens('user=7', hourly);
    expect(wanted(slow, time.monotonic())).toBe(0);
    await time.advance(10);
    expect([wanted(slow, time.monotonic()), taken().length]).toEqual([0, 1]);
    const faster = sheet.buckets.tokens('user=7', rate);
    expect(wanted(faster, time.monotonic())).toBe(0);
    await time.advance(1000);
    expect(wanted(faster, time.monotonic())).toBe(10);
    sheet.stop();
  });
});
