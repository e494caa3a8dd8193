import { describe, expect, it } from 'vitest';
import { SharedPlaces } from './shared-places.ts';

function setUp() {
  let used = 0;
  const looks: number[] = [];
  const places = new SharedPlaces(4, {
    name: 'x',
    used: () => used,
    isWhole: () => false,
    look: (ms) => void looks.push(ms),
    drop: () => {},
  });
  return { places, looks, use: (count: number) => (used = count) };
}

const TURN_MS = 1000;

describe('places out of a sheet', () => {
  it('are news once others have had fewer for a while: then it is their turn', () => {
    const { places, use } = setUp();
    use(3);
    places.hungry(0);
    const uneven = { held: 3, goal: 3, contested: true, uneven: true, hope: 4 };
    places.settle(uneven, places.demand(0), 0);
    expect([places.isNews(TURN_MS - 1), places.nextLook(TURN_MS - 1)]).toEqual([false, TURN_MS]);
    expect([places.isNews(TURN_MS), places.demand(TURN_MS).yields]).toEqual([true, true]);
    places.settle(uneven, places.demand(TURN_MS), TURN_MS);
    expect([places.isNews(TURN_MS), places.demand(TURN_MS).yields]).toEqual([false, false]);
  });

  it('are thought to be there until others have had the time to give them up', () => {
    const { places, use } = setUp();
    expect([places.could(0, 0), places.allowed(0), places.waitsUntil(0)]).toEqual([4, 0, null]);
    places.hungry(100);
    expect([places.could(0, 599), places.waitsUntil(599)]).toEqual([4, 600]);
    expect([places.could(0, 600), places.waitsUntil(600)]).toEqual([0, null]);
    use(1);
    places.settle({ held: 2, goal: 2, contested: true, uneven: false, hope: 3 }, places.demand(600), 600);
    expect(places.could(1, 600)).toBe(2);
    // With places to spare it does not need more, and may ask anew.
    places.demand(600);
    places.demand(605);
    expect(places.could(1, 605)).toBe(3);
  });

  it('are lowered at once, and raised only by what is written', () => {
    const { places } = setUp();
    places.settle({ held: 3, goal: 3, contested: false, uneven: false, hope: 4 }, places.demand(0), 0);
    places.lower({ held: 4, goal: 4, contested: false, uneven: false, hope: 4 });
    expect(places.allowed(0)).toBe(3);
    places.lower({ held: 1, goal: 1, contested: true, uneven: false, hope: 4 });
    expect([places.allowed(0), places.allowed(2)]).toEqual([1, 2]);
  });
});
