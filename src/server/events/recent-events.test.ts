import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentEvents } from './recent-events.ts';
import type { Told } from './told.ts';

const told = (cursor: number, length = 10): Told => ({
  cursor,
  event: 'task:queued',
  task_id: 't',
  workflow_id: null,
  text: 'x'.repeat(length),
});

describe('recent events', () => {
  it('are kept up to a number, and say how far back they reach', () => {
    const recent = new RecentEvents(5, { events: 3, characters: 1000 });
    expect([recent.head, recent.covers(4), recent.covers(5)]).toEqual([5, false, true]);
    for (const cursor of [6, 7, 8, 10, 11]) recent.add(told(cursor));
    expect([recent.head, recent.covers(6), recent.covers(7)]).toEqual([11, false, true]);
    expect(recent.after(7)?.cursor).toBe(8);
    expect(recent.after(8)?.cursor).toBe(10);
    expect(recent.after(9)?.cursor).toBe(10);
    expect(recent.after(11)).toBeUndefined();
  });

  it('are kept up to a length, even where one is longer than all may be', () => {
    const recent = new RecentEvents(0, { events: 100, characters: 50 });
    for (const cursor of [1, 2, 3]) recent.add(told(cursor, 20));
    expect([recent.covers(0), recent.covers(1)]).toEqual([false, true]);
    recent.add(told(4, 51));
    expect(recent.after(0)).toBeUndefined();
    expect([recent.covers(3), recent.covers(4), recent.head]).toEqual([false, true, 4]);
    recent.add(told(5, 20));
    expect(recent.after(4)?.cursor).toBe(5);
  });

  it('give what a plain list would give', () => {
    const steps = fc.array(
      fc.record({ gap: fc.integer({ min: 1, max: 3 }), length: fc.integer({ min: 1, max: 40 }) }),
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 10 }), (added, events) => {
        const recent = new RecentEvents(0, { events, characters: 100 });
        const all: Told[] = [];
        for (const { gap, length } of added) {
          const next = told((all.at(-1)?.cursor ?? 0) + gap, length);
          all.push(next);
          recent.add(next);
          for (let cursor = 0; cursor <= recent.head; cursor++) {
            if (!recent.covers(cursor)) continue;
            expect(recent.after(cursor)).toBe(all.find((one) => one.cursor > cursor));
          }
          expect(recent.covers(recent.head)).toBe(true);
        }
      }),
    );
  });
});
