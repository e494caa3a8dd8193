import { describe, expect, it } from 'vitest';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { Pulse } from './pulse.ts';

describe('the pulse', () => {
  it('sets no timer while there is nobody to look after', () => {
    const timers = manualTimers();
    const pulse = new Pulse(timers, 5000);
    expect(timers.waiting).toEqual([]);
    const first = pulse.add(() => {});
    const second = pulse.add(() => {});
    expect(timers.waiting).toEqual([5000]);
    first();
    expect(timers.waiting).toEqual([5000]);
    second();
    expect(timers.waiting).toEqual([]);
  });

  it('reaches everybody each time, some at a time', async () => {
    const timers = manualTimers();
    const pulse = new Pulse(timers, 5000);
    const done = Promise.withResolvers<void>();
    let beats = 0;
    for (let n = 0; n < 1000; n++)
      pulse.add(() => {
        beats++;
        if (beats === 2000) done.resolve();
      });
    timers.pass(5000);
    expect(beats).toBeLessThan(1000);
    timers.pass(5000);
    await done.promise;
  });

  it('passes over those who went in the meantime', async () => {
    const timers = manualTimers();
    const pulse = new Pulse(timers, 5000);
    let late = 0;
    const removed: (() => void)[] = [];
    pulse.add(() => {
      for (const remove of removed) remove();
    });
    for (let n = 0; n < 200; n++) removed.push(pulse.add(() => late++));
    timers.pass(5000);
    await new Promise((resolve) => timers.soon(() => timers.soon(() => resolve(undefined))));
    expect(late).toBe(0);
  });
});
