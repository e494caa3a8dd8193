import { describe, expect, it } from 'vitest';
import { readTraceparent } from './trace-context.ts';

const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('a traceparent', () => {
  it('of the W3C form is taken as it is', () => {
    expect(readTraceparent(good)).toBe(good);
    expect(readTraceparent(`cc${good.slice(2)}`)).toBe(`cc${good.slice(2)}`);
  });

  it.each([
    ['not a text', 7],
    ['nothing', undefined],
    ['empty', ''],
    ['of a version that cannot be', `ff${good.slice(2)}`],
    ['without a trace', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['without a parent', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
    ['in capitals', good.toUpperCase()],
    ['with something behind it', `${good}-x`],
    ['with a line behind it', `${good}\n`],
  ])('that is %s is dropped', (_, value) => {
    expect(readTraceparent(value)).toBe(null);
  });
});
