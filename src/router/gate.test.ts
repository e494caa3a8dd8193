import { describe, expect, it } from 'vitest';
import { Gate } from './gate.ts';
import { Keeps } from './keeps.ts';
import type { Places } from './places.ts';
import { OwnTokens } from './tokens.ts';

const rate = { per_ms: 1 / 1000, burst: 1 };

const sharedPlaces = (left: () => void): Places => ({
  allowed: () => 3,
  could: () => 3,
  waitsUntil: () => null,
  hungry: () => {},
  left,
  isShared: () => true,
  isIdle: () => true,
  setMost: () => {},
  drop: () => {},
});

describe('a gate', () => {
  it('says what it is that lets nobody in, also where the last place is only kept', () => {
    const gate = new Gate({ concurrency: 1 }, { tokens: new OwnTokens(rate, 0) });
    gate.keeps.add(1, 100);
    expect([gate.free(0, false), gate.blocks(0)]).toEqual([0, 'concurrency']);
    expect(gate.enter(0, true)).toBe(true);
    gate.leave();
    expect([gate.free(0, false), gate.blocks(0)]).toEqual([0, 'rate']);
  });

  it('lets whoever was called take what is kept, and nobody else', () => {
    const gate = new Gate({ concurrency: 2 }, { tokens: null });
    gate.keeps.add(2, 100);
    expect([gate.free(0, false), gate.free(0, true), gate.nextAt(0)]).toEqual([0, 2, 100]);
    expect([gate.free(100, false), gate.nextAt(100)]).toEqual([2, null]);
  });

  it('keeps to a window of its own besides the limit that all share, and asks the others for no more because of it', () => {
    let hungry = 0;
    const places: Places = {
      allowed: () => 3,
      could: () => 3,
      waitsUntil: () => null,
      hungry: () => void hungry++,
      left: () => {},
      isShared: () => true,
      isIdle: () => true,
      setMost: () => {},
      drop: () => {},
    };
    const gate = new Gate({ concurrency: 10, window: 2 }, { tokens: null, places: () => places });
    expect([gate.free(0, false), gate.left(0)]).toEqual([2, 2]);
    gate.enter(0, false);
    gate.enter(0, false);
    gate.want(0);
    expect([gate.free(0, false), gate.left(0), gate.blocks(0)]).toEqual([0, 0, 'concurrency']);
    expect(hungry).toBe(0);
    const wider = gate.with({ concurrency: 10, window: 5 }, { tokens: null });
    expect(wider.free(0, false)).toBe(1);
    wider.enter(0, false);
    expect([wider.free(0, false), hungry]).toEqual([0, 0]);
    wider.want(0);
    expect(hungry).toBe(1);
    expect(new Gate({ concurrency: null, window: 1 }, { tokens: null }).free(0, false)).toBe(1);
  });

  it('keeps a place that others could use for less long', () => {
    const alone = new Gate({ concurrency: 1 }, { tokens: null });
    const shared = new Gate({ concurrency: 1 }, { tokens: null, places: () => sharedPlaces(() => {}) });
    for (const gate of [alone, shared]) gate.keep(1, 0);
    expect([alone, shared].map((gate) => [gate.keeps.count(399), gate.keeps.count(400)])).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });

  it('gives back what is not used of a rate that is replaced by another, or gone', () => {
    let dropped = 0;
    const tokens = () => Object.assign(new OwnTokens(rate, 0), { drop: async () => void dropped++ });
    const [first, second] = [tokens(), tokens()];
    const gate = new Gate({ concurrency: null }, { tokens: first });
    const same = gate.with({ concurrency: 1 }, { tokens: first });
    expect(dropped).toBe(0);
    same.with({ concurrency: 1 }, { tokens: second }).drop();
    expect(dropped).toBe(2);
  });

  it('gives back the place of one who does not come, and the others hear of it', () => {
    let told = 0;
    const places = sharedPlaces(() => void told++);
    const gate = new Gate({ concurrency: 3 }, { tokens: null, places: () => places });
    gate.keep(2, 0);
    gate.giveUp(0);
    expect([gate.free(0, false), told]).toEqual([1, 0]);
    gate.giveUp(1);
    expect([gate.free(0, false), told]).toEqual([2, 1]);
  });

  it('is patient only where another token comes while it is', () => {
    const patience = (per_ms: number, burst: number) =>
      new Gate({ concurrency: null }, { tokens: new OwnTokens({ per_ms, burst }, 0) }).patience;
    expect(patience(0.01, 4)).toEqual({ ms: 300, places: 3 });
    expect(patience(0.01, 100)).toEqual({ ms: 1000, places: 10 });
    expect(patience(0.01, 1)).toBeNull();
    expect(patience(1 / 60_000, 100)).toBeNull();
  });
});

describe('places that are kept', () => {
  it('are lost first by those who were called last', () => {
    const keeps = new Keeps();
    keeps.add(1, 100);
    keeps.add(1, 200);
    keeps.drop(1);
    expect([keeps.count(0), keeps.until]).toEqual([1, 100]);
    keeps.add(1, 50);
    expect([keeps.count(0), keeps.until, keeps.count(50)]).toEqual([2, 50, 1]);
    keeps.drop(5);
    expect(keeps.count(0)).toBe(0);
  });
});
