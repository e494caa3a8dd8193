import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { Drains } from './drains.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import type { SharedState } from './shared-state.ts';

function world() {
  const time = new VirtualTime();
  let kept: { text: string; version: number } | null = null;
  const trouble = { away: false, stolen: 0, warned: 0 };
  const state: SharedState = {
    read: async () => {
      if (trouble.away) throw new GleitzeitError('GLZ3001', 'away');
      return kept;
    },
    write: async (_, text, expect) => {
      const version = (kept?.version ?? 0) + (trouble.stolen-- > 0 ? 1 : 0);
      if (version !== expect) throw new GleitzeitError('GLZ1013', 'another version');
      kept = { text, version: version + 1 };
      return kept;
    },
  };
  const warn = () => void trouble.warned++;
  const logger = { debug() {}, info() {}, warn, error() {} };
  const open = () => {
    const seen: string[] = [];
    const resumed: string[] = [];
    const apply = (ids: ReadonlySet<string>, again: ReadonlySet<string>) => {
      seen.push([...ids].sort().join(' '));
      resumed.push(...again);
    };
    const drains = new Drains({ state, timers: time, logger, apply });
    return { drains, seen, resumed };
  };
  const put = (text: string) => {
    kept = { text, version: 9 };
  };
  return { time, trouble, open, put, text: () => kept?.text };
}

describe('drained providers', () => {
  it('are remembered for all engines and over restarts, until they are resumed', async () => {
    const { open } = world();
    const [one, two] = [open(), open()];
    await one.drains.add('a');
    await two.drains.add('b');
    await one.drains.look();
    expect([one.seen.at(-1), two.seen.at(-1)]).toEqual(['a b', 'a b']);
    const later = open();
    await later.drains.look();
    await later.drains.look();
    expect(later.seen).toEqual(['a b']);
    await later.drains.remove(['a', 'c']);
    await later.drains.remove(['c']);
    await later.drains.keepOnly(['x']);
    expect(later.seen).toEqual(['a b', 'b', '']);
  });

  it('are resumed on all engines, each time anew, whether they were drained or not', async () => {
    const { open, text } = world();
    const [one, two] = [open(), open()];
    await one.drains.add('a');
    await one.drains.resume('a');
    await one.drains.resume('__proto__');
    await two.drains.look();
    await two.drains.look();
    expect([two.seen, two.resumed]).toEqual([[''], ['a', '__proto__']]);
    await one.drains.resume('a');
    await one.drains.add('b');
    await two.drains.look();
    expect([one.resumed, two.resumed.slice(2), two.seen.at(-1)]).toEqual([
      ['a', '__proto__', 'a'],
      ['a'],
      'b',
    ]);
    await one.drains.remove(['a']);
    await one.drains.keepOnly(['b']);
    expect(text()).toBe('["b"]');
  });

  it('survive that somebody else is quicker, but not for ever', async () => {
    const { open, trouble } = world();
    const { drains, seen } = open();
    trouble.stolen = 3;
    await drains.add('a');
    expect(seen).toEqual(['a']);
    trouble.stolen = 100;
    await expect(drains.add('b')).rejects.toMatchObject({ code: 'GLZ1013' });
  });

  it('are looked up again when the store is back', async () => {
    const { open, trouble, time, put } = world();
    const { drains, seen } = open();
    put('["a",7,{"resumed":{"x":"y"}},{"resumed":7},null]');
    trouble.away = true;
    await drains.look();
    expect([seen, trouble.warned]).toEqual([[], 1]);
    trouble.away = false;
    await time.advance(1001);
    expect(seen).toEqual(['a']);
    put('7');
    await open().drains.look();
    trouble.away = true;
    drains.stop();
    await drains.look();
    expect([time.pending, trouble.warned]).toEqual([0, 1]);
  });

  it('get no calls from when they are connected, also where another one takes their place', async () => {
    const { pools } = setUp();
    pools.setDrained(new Set(['one']));
    pools.connect(heldProvider('one').provider);
    pools.connect(heldProvider('two').provider);
    const states = () => pools.providers().map(({ state }) => state);
    expect(states()).toEqual(['drained', 'connected']);
    pools.connect(heldProvider('one').provider);
    expect(states().slice(0, 2)).toEqual(['drained', 'connected']);
    pools.setDrained(new Set(['two']));
    expect(states().slice(0, 2)).toEqual(['connected', 'drained']);
    await pools.stop();
  });
});
