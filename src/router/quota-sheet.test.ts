import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { emptySheet } from '../core/pool/sheet.ts';
import { readSheet, sheetText } from '../core/pool/sheet-text.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { QuotaSheet } from './quota-sheet.ts';
import { Quotas } from './quotas.ts';

const WRITE_MS = 50;
const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A store that takes a while for each write, and the engines that live. */
function setUp() {
  const time = new VirtualTime();
  const live = ['me'];
  let stored: { text: string; version: number } | null = null;
  let writes = 0;
  const put = (text: string) => {
    stored = { text, version: (stored?.version ?? 0) + 1 };
    return stored;
  };
  const state = {
    read: async () => stored,
    write: async (_name: string, text: string, expected: number) => {
      await new Promise<void>((resolve) => time.after(WRITE_MS, resolve));
      if ((stored?.version ?? 0) !== expected) throw new GleitzeitError('GLZ1013', 'another version');
      writes++;
      return { version: put(text).version };
    },
    versions: async () => [],
  };
  const parts = { state, engines: async () => live, clock: time, timers: time, logger, more: () => {} };
  /** Another engine, or something else that a test wants of the document. */
  const say = (change: (sheet: ReturnType<typeof readSheet>) => ReturnType<typeof readSheet>) =>
    put(sheetText(change(readSheet(stored?.text ?? '{}')))).version;
  const asks = (who: string, held: number) =>
    say((sheet) => ({ ...sheet, claims: new Map([['x', [{ owner: who, held, hungry: true }]]]) }));
  return { time, live, parts, say, asks, writes: () => writes, sheet: () => readSheet(stored?.text ?? '{}') };
}

describe('a sheet that engines share', () => {
  it('is used no more than it will say, from before that is written', async () => {
    const { time, live, parts, asks } = setUp();
    const sheet = new QuotaSheet('x', parts);
    let used = 0;
    const places = sheet.places('x', 4, () => used);
    sheet.joined('me');
    await time.advance(WRITE_MS + 10);
    expect([sheet.isWhole, places.allowed(0)]).toEqual([true, 4]);
    used = 1;
    live.push('other');
    sheet.seen(asks('other', 0));
    await time.advance(10);
    // It is being written now; until then the other has nothing, and from then on the rest.
    expect(places.allowed(1)).toBeLessThanOrEqual(2);
    await time.advance(WRITE_MS);
    expect(places.allowed(1)).toBeLessThanOrEqual(2);
    sheet.stop();
  });

  it('is written again by who waits in vain, as others may not have heard', async () => {
    const { time, live, parts, say, writes } = setUp();
    live.push('other');
    say((sheet) => ({ ...sheet, claims: new Map([['x', [{ owner: 'other', held: 4, hungry: false }]]]) }));
    const sheet = new QuotaSheet('x', parts);
    const places = sheet.places('x', 4, () => 0);
    sheet.joined('me');
    places.hungry(time.monotonic());
    await time.advance(WRITE_MS + 10);
    expect([places.allowed(0), writes()]).toEqual([0, 1]);
    await time.advance(2000 + WRITE_MS + 10);
    expect([places.allowed(0), writes()]).toEqual([0, 2]);
    sheet.stop();
  });

  it('is not written by one whom the others take for dead', async () => {
    const { time, live, parts, sheet: stored, writes } = setUp();
    live.splice(0, 1, 'other');
    const sheet = new QuotaSheet('x', parts);
    const places = sheet.places('x', 4, () => 0);
    sheet.joined('me');
    places.hungry(time.monotonic());
    await time.advance(500);
    expect([places.allowed(0), stored().claims.size, writes()]).toEqual([0, 0, 0]);
    live.push('me');
    await time.advance(1000);
    expect(places.allowed(0)).toBe(4);
    sheet.stop();
  });

  it('is not taken for one’s own by what was written under an earlier name', async () => {
    const { time, live, parts, say } = setUp();
    const whole: boolean[] = [];
    const more = (): void => void whole.push(sheet.isWhole);
    const sheet: QuotaSheet = new QuotaSheet('x', { ...parts, more });
    const places = sheet.places('x', 4, () => 0);
    sheet.joined('me');
    // What it writes as "me" is written while it joins anew; another engine has the sheet by then.
    await time.advance(WRITE_MS - 1);
    live.splice(0, 1, 'me again', 'other');
    sheet.joined('me again');
    await time.advance(1);
    expect([sheet.isWhole, places.allowed(0)]).toEqual([false, 0]);
    sheet.seen(
      say(() => ({
        whole: null,
        buckets: new Map(),
        at: null,
        claims: new Map([['x', [{ owner: 'other', held: 4, hungry: true }]]]),
      })),
    );
    await time.advance(10 * WRITE_MS);
    expect([sheet.isWhole, places.allowed(0)]).toEqual([false, 0]);
    expect([whole.length > 0, whole.includes(true)]).toEqual([true, false]);
    sheet.stop();
  });

  it('is looked at now and then where another counts its rates alone, and not without end', async () => {
    const { time, live, parts, say } = setUp();
    let reads = 0;
    let timers = 0;
    const after = (ms: number, call: () => void) => {
      timers++;
      return time.after(ms, call);
    };
    const read = () => {
      reads++;
      return parts.state.read();
    };
    const sheet = new QuotaSheet('keys a/v1 0', {
      ...parts,
      timers: { after, soon: (call) => time.soon(call) },
      state: { ...parts.state, read },
    });
    const tokens = sheet.buckets.tokens('user=7', { per_ms: 1 / 3_600_000, burst: 5 });
    sheet.joined('me');
    tokens.want(time.monotonic());
    await time.advance(10 * WRITE_MS);
    expect(tokens.free(time.monotonic())).toBe(1);
    live.push('other');
    sheet.seen(say(() => ({ ...emptySheet, whole: 'other' })));
    await time.advance(1000);
    [reads, timers] = [0, 0];
    await time.advance(20_000);
    expect(timers).toBeLessThanOrEqual(3);
    expect([reads, tokens.left(time.monotonic()), time.pending]).toEqual([1, 0, 0]);
    sheet.stop();
  });
});

describe('limits that engines share', () => {
  it('are asked for also where they are new to an engine that has joined before', async () => {
    const { time, parts, sheet } = setUp();
    const quotas = new Quotas({ ...parts, exclusive: false });
    quotas.joined('me');
    const places = quotas.places('x', 4, () => 0);
    await time.advance(WRITE_MS + 10);
    expect([places?.allowed(0), sheet().whole]).toEqual([4, 'me']);
    quotas.stop();
  });
});
