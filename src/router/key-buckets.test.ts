import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { QuotaSheet } from './quota-sheet.ts';

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
  return { time, sheet, written, work };
}

describe('rates of many keys', () => {
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
