import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { booleans, floats, integers, isStorable, texts } from './arrays.ts';
import { timers } from './harness.suite.ts';
import { Session } from './session.ts';

let session: Session;
beforeAll(async () => {
  session = await Session.open({ url: inject('postgresUrl'), schema: 'public', timers, role: 'reader' });
});
afterAll(() => session.end());

/** What the server reads out of an array, as text. */
async function read(array: Buffer, type: string): Promise<(string | null | undefined)[]> {
  const rows = await session.rows({ name: `read ${type}`, text: `SELECT unnest($1::${type}[])` }, [array]);
  return rows.map(([value]) => value);
}

describe('columns of values', () => {
  it('of text arrive as they are', async () => {
    const values = ['', 'NULL', '{a,"b"}', 'ünï 👩‍👧', '\\', '\n\t\u0001', 'x'.repeat(100_000), null];
    expect(await read(texts(values), 'text')).toEqual(values);
  });

  it('of integers arrive as they are, up to the largest', async () => {
    const values = [0, -1, 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 32 - 1, 1_700_000_000_000];
    const edges = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    expect(await read(integers([...values, ...edges, null]), 'bigint')).toEqual([
      ...[...values, ...edges].map(String),
      null,
    ]);
  });

  it('of fractions and of truth arrive as they are', async () => {
    expect(await read(floats([0.25, -1e300, null]), 'double precision')).toEqual(['0.25', '-1e+300', null]);
    expect(await read(booleans([true, false]), 'boolean')).toEqual(['t', 'f']);
  });

  it('may be empty', async () => {
    expect(await read(texts([]), 'text')).toEqual([]);
    expect(await read(integers([]), 'bigint')).toEqual([]);
  });

  it('refuse what would come back as something else', () => {
    expect(isStorable('👩')).toBe(true);
    for (const text of ['\0', 'a\0', '\ud800', '\udc00x']) {
      expect(isStorable(text)).toBe(false);
      expect(() => texts(['fine', text])).toThrow('cannot hold');
    }
  });
});
