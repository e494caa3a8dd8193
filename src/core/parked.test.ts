import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineName, lineOf, parkedFor, unservedCall } from './parked.ts';
import { lineKinds } from './ports/router.ts';

describe('the line that a task waits in', () => {
  it('is read from its name, whatever its key is called', () => {
    fc.assert(
      fc.property(fc.constantFrom(...lineKinds), fc.string(), (kind, key) => {
        expect(lineOf(lineName({ kind, key }))).toEqual({ kind, key });
        expect(unservedCall({ lane: 'a/v1', parked: lineName({ kind, key }) })).toBe(null);
      }),
    );
  });

  it.each([null, 'paused', parkedFor('rate limit'), 'line', 'line rate', 'line other key'])(
    'is none for a task that is parked as %j',
    (parked) => {
      expect(lineOf(parked)).toBe(null);
    },
  );
});
