import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineName, lineOf, parkedFor, unservedCall } from './parked.ts';
import { lineKinds } from './ports/router.ts';

describe('the line that a task waits in', () => {
  it('is read from its name, whatever its key is called', () => {
    fc.assert(
      fc.property(fc.constantFrom(...lineKinds), fc.string({ maxLength: 200 }), (kind, key) => {
        expect(lineOf(lineName({ kind, key }))).toEqual({ kind, key });
        expect(unservedCall({ lane: 'a/v1', parked: lineName({ kind, key }) })).toBe(null);
      }),
    );
  });

  it('has a name that databases take, whatever its key holds', () => {
    const name = (key: string) => lineName({ kind: 'rate', key });
    expect(name('a\0b\uD800')).toBe('line rate a\uFFFDb\uFFFD');
    const long = 'x'.repeat(1000);
    expect(name(`${long}1`)).not.toBe(name(`${long}2`));
    expect(name(`${long}1`).length).toBeLessThan(230);
    expect(name(`${'x'.repeat(199)}\u{1F600}${long}`).isWellFormed()).toBe(true);
  });

  it.each([null, 'paused', parkedFor('rate limit'), 'line', 'line rate', 'line other key'])(
    'is none for a task that is parked as %j',
    (parked) => {
      expect(lineOf(parked)).toBe(null);
    },
  );
});
