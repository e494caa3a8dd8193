import { describe, expect, it } from 'vitest';
import { KeyGates } from './key-gates.ts';

const second = { per_ms: 1 / 1000, burst: 1 };

describe('gates of keys', () => {
  it('are forgotten when the last call of their key has ended, and not before', () => {
    const keys = new KeyGates({ concurrency: 2, rate: null });
    const gate = keys.open('a', 0);
    gate.enter(0, false);
    keys.open('a', 0).enter(0, false);
    gate.leave();
    keys.left('a', 0);
    expect(keys.open('a', 0)).toBe(gate);
    gate.leave();
    keys.left('a', 0);
    expect(keys.size).toBe(0);
  });

  it('stay while a place is kept, or while their rate remembers a call', () => {
    const keys = new KeyGates({ concurrency: 1, rate: second });
    const kept = keys.open('kept', 0);
    kept.keeps.add(1, 100);
    const used = keys.open('used', 0);
    used.enter(0, false);
    used.leave();
    for (const key of ['kept', 'used']) keys.left(key, 0);
    expect(keys.size).toBe(2);
    for (const key of ['kept', 'used']) keys.left(key, 1000);
    expect(keys.size).toBe(0);
  });

  it('are looked through now and then, so that any number of keys needs only so much memory', () => {
    const keys = new KeyGates({ concurrency: null, rate: second });
    let most = 0;
    for (let now = 0; now < 100_000; now++) {
      const gate = keys.open(`key ${now}`, now);
      gate.enter(now, false);
      gate.leave();
      keys.left(`key ${now}`, now);
      most = Math.max(most, keys.size);
    }
    expect(most).toBeLessThanOrEqual(2001);
  });
});
