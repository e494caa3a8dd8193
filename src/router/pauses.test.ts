import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { nobodyCame } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { SharedPauses } from './pauses.ts';
import { heldProvider } from './pools.suite.ts';
import { Pools } from './pools.ts';

function world() {
  const time = new VirtualTime();
  let kept: { text: string; version: number } | null = null;
  const trouble = { away: false, stolen: 0, warned: 0, skew: 0 };
  const state = {
    read: async () => {
      // One that tries for ever must fail rather than be waited for.
      if (trouble.away && trouble.warned < 100) throw new GleitzeitError('GLZ3001', 'away');
      return kept;
    },
    write: async (_: string, text: string, expect: number) => {
      const version = (kept?.version ?? 0) + (trouble.stolen-- > 0 ? 1 : 0);
      if (version !== expect) throw new GleitzeitError('GLZ1013', 'another version');
      kept = { text, version: version + 1 };
      return kept;
    },
  };
  const warn = () => void trouble.warned++;
  const logger = { debug() {}, info() {}, warn, error() {} };
  const clock = { monotonic: () => time.monotonic(), wall: () => time.wall() + trouble.skew };
  const open = () => new SharedPauses({ state, clock, logger });
  const leftOf = (pauses: SharedPauses, id: string) => Math.max(0, pauses.until(id) - time.monotonic());
  const put = (text: string) => {
    kept = { text, version: 9 };
  };
  return { time, trouble, logger, open, put, leftOf, text: () => kept?.text };
}

const MINUTE = 60_000;

describe('a service that asked to be left alone', () => {
  it('is, by every engine and by those that start later, until its time is over', async () => {
    const { time, open, leftOf } = world();
    const [one, two] = [open(), open()];
    one.asked('a', MINUTE);
    expect(leftOf(one, 'a')).toBe(MINUTE);
    await one.settled();
    await two.look();
    expect(leftOf(two, 'a')).toBe(MINUTE);
    await time.advance(20_000);
    const later = open();
    await later.look();
    expect([leftOf(later, 'a'), leftOf(later, 'b')]).toEqual([40_000, 0]);
    await time.advance(40_000);
    expect(leftOf(later, 'a')).toBe(0);
  });

  it('is left alone for the longest that it asked anybody for, whoever is the last to tell', async () => {
    const { open, leftOf } = world();
    const [one, two] = [open(), open()];
    one.asked('a', MINUTE);
    await one.settled();
    two.asked('a', 2000);
    await two.settled();
    const later = open();
    await later.look();
    expect([one, two, later].map((pauses) => leftOf(pauses, 'a'))).toEqual([MINUTE, MINUTE, MINUTE]);
  });

  it('counts from when it asked, also where it had been resumed a moment before', async () => {
    const { open, leftOf } = world();
    const pauses = open();
    pauses.asked('a', MINUTE);
    await pauses.settled();
    pauses.ended('a');
    pauses.asked('a', 2000);
    await pauses.settled();
    const later = open();
    await later.look();
    expect([pauses, later].map((one) => leftOf(one, 'a'))).toEqual([2000, 2000]);
  });

  it('is asked again by all where somebody says so', async () => {
    const { open, leftOf, text } = world();
    const [one, two] = [open(), open()];
    one.asked('a', MINUTE);
    one.asked('b', MINUTE);
    await one.settled();
    await two.look();
    two.ended('a');
    await two.settled();
    await one.look();
    one.ended('a');
    const later = open();
    await later.look();
    for (const pauses of [one, two, later])
      expect([leftOf(pauses, 'a'), leftOf(pauses, 'b')]).toEqual([0, MINUTE]);
    expect(Object.keys(JSON.parse(text() ?? ''))).toEqual(['b']);
  });

  it('is not written down for what is soon over, nor for every moment more', async () => {
    const { time, open, leftOf, text } = world();
    const pauses = open();
    pauses.asked('a', 900);
    await pauses.settled();
    expect([leftOf(pauses, 'a'), text()]).toEqual([900, undefined]);
    pauses.asked('a', MINUTE);
    await pauses.settled();
    const written = text();
    await time.advance(10);
    pauses.asked('a', MINUTE);
    await pauses.settled();
    expect(text()).toBe(written);
  });

  it('is written down with what others have told meanwhile, without what is over', async () => {
    const { time, trouble, open, text } = world();
    const [one, two] = [open(), open()];
    one.asked('old', 2000);
    await one.settled();
    await time.advance(32_000);
    trouble.stolen = 2;
    two.asked('a', MINUTE);
    two.asked('__proto__', MINUTE);
    await two.settled();
    expect(Object.keys(JSON.parse(text() ?? ''))).toEqual(['a', '__proto__']);
  });

  it('is left alone for no longer than it asked, whatever becomes of the clock', async () => {
    const { trouble, open, leftOf } = world();
    const pauses = open();
    pauses.asked('a', MINUTE);
    await pauses.settled();
    trouble.skew = -3_600_000;
    const later = open();
    await later.look();
    expect(leftOf(later, 'a')).toBe(MINUTE);
  });

  it('is remembered here where the store is away, or holds something else', async () => {
    const { trouble, open, put, leftOf } = world();
    const pauses = open();
    trouble.away = true;
    pauses.asked('a', MINUTE);
    await pauses.settled();
    await pauses.look();
    expect([leftOf(pauses, 'a'), trouble.warned]).toEqual([MINUTE, 2]);
    trouble.away = false;
    pauses.again();
    await pauses.settled();
    const told = open();
    await told.look();
    expect(leftOf(told, 'a')).toBe(MINUTE);
    put('{"a":1,"b":{"until":"soon"},"c":{}}');
    const later = open();
    await later.look();
    expect(['a', 'b', 'c'].map((id) => leftOf(later, id))).toEqual([0, 0, 0]);
  });
});

describe('a service that turned calls away, again and again', () => {
  it('is known for how often to every engine and later life, also when it was left alone for long enough', async () => {
    const { time, open, leftOf } = world();
    const [one, two] = [open(), open()];
    one.asked('a', 8000, 4);
    await one.settled();
    await two.look();
    expect([one.times('a'), two.times('a'), two.times('b')]).toEqual([4, 4, 0]);
    await time.advance(9000);
    one.asked('b', 5000);
    await one.settled();
    const later = open();
    await later.look();
    expect([leftOf(later, 'a'), later.times('a'), later.times('b')]).toEqual([0, 4, 0]);
    later.asked('a', 16_000, 5);
    expect(later.times('a')).toBe(5);
    later.asked('a', 2000, 1);
    expect([later.times('a'), leftOf(later, 'a')]).toEqual([5, 16_000]);
  });
});

describe('a pool', () => {
  it('sends nothing to a provider that another engine was asked to leave alone, until it is resumed', async () => {
    const { time, logger, open } = world();
    const pauses = open();
    const other = open();
    const pools = new Pools({ clock: time, timers: time, logger, pauses });
    pools.connect(heldProvider('a').provider);
    pools.onRoom(async () => nobodyCame);
    const request = { protocol: 'a/v1', method: 'm', params: {}, task_id: 't', workflow_id: null, avoid: [] };
    const word = () => {
      const routed = pools.route({ ...request, called: false });
      if (routed.word === 'go') routed.passage.leave();
      return routed.word;
    };
    expect(word()).toBe('go');
    other.asked('a', MINUTE);
    await other.settled();
    await pauses.look();
    expect([word(), pools.status('a')?.paused_until]).toEqual(['wait', time.wall() + MINUTE]);
    pools.resume('a');
    await time.advance(1);
    expect(word()).toBe('go');
    pauses.asked('a', MINUTE);
    pools.connect(heldProvider('a').provider);
    expect(word()).toBe('go');
    pauses.asked('a', MINUTE);
    const gone = pools.disconnect('a');
    pools.connect(heldProvider('a').provider);
    expect(word()).toBe('go');
    await gone;
    await pools.stop();
  });
});
