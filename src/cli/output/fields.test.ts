import { describe, expect, it } from 'vitest';
import { fieldTable, pickFields } from './fields.ts';

const view = { columns: null, colour: false, now: 0 };
const data = {
  items: [
    { id: 'a', error: { message: 'no' } },
    { id: 'b', error: null },
  ],
  next_cursor: null,
};

describe('--fields', () => {
  it('keeps only what is named, of each item', () => {
    expect(pickFields(data, ['id', 'error.message'])).toEqual({
      items: [
        { id: 'a', 'error.message': 'no' },
        { id: 'b', 'error.message': null },
      ],
      next_cursor: null,
    });
    expect(pickFields({ id: 'a', more: 1 }, ['id'])).toEqual({ id: 'a' });
  });

  it('makes them the columns of a table', () => {
    expect(fieldTable(data, ['id', 'error.message'], view)).toBe('ID  ERROR.MESSAGE\na   no\nb   -\n');
  });

  it('names the nearest of those there are', () => {
    expect(() => pickFields(data, ['errr'])).toThrow('there is no field "errr"');
    expect(() => pickFields({ items: [] }, ['errr'])).not.toThrow();
  });
});
