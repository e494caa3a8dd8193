import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, details, table, type View } from './table.ts';
import { widthOf } from './width.ts';

type Row = { readonly id: string; readonly name: string; readonly count: number };
const columns: readonly Column<Row>[] = [
  { title: 'id', value: ({ id }) => id, whole: true },
  { title: 'name', value: ({ name }) => name },
  { title: 'count', value: ({ count }) => String(count), align: 'right' },
];
const rows: readonly Row[] = [
  { id: 'abc-1', name: 'a name that is quite long', count: 3 },
  { id: 'abc-22', name: '日本語', count: 1000 },
];
const plain: View = { columns: null, colour: false, now: 0 };
const lines = (text: string) => text.split('\n').slice(0, -1);

describe('a table', () => {
  it('stands in columns, whatever the characters', () => {
    expect(table(rows, columns, plain)).toBe(
      [
        'ID      NAME                       COUNT',
        'abc-1   a name that is quite long      3',
        'abc-22  日本語                      1000',
        '',
      ].join('\n'),
    );
  });

  it('cuts cells and then leaves columns out, but never cuts an id', () => {
    expect(lines(table(rows, columns, { ...plain, columns: 30 }))).toEqual([
      'ID      NAME             COUNT',
      'abc-1   a name that is…      3',
      'abc-22  日本語            1000',
    ]);
    expect(lines(table(rows, columns, { ...plain, columns: 10 }))).toEqual(['ID', 'abc-1', 'abc-22']);
    expect(lines(table(rows, columns, { ...plain, columns: 2 }))).toEqual(['ID', 'abc-1', 'abc-22']);
  });

  it('shortens an id rather than to leave out what has to be there', () => {
    const some = [{ id: '0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40', name: 'a name', count: 3 }];
    const narrow: readonly Column<Row>[] = [
      { title: 'id', value: ({ id }) => id, whole: true, shortest: 14 },
      { title: 'status', value: () => 'completed', whole: true, kept: true },
      { title: 'name', value: ({ name }) => name },
    ];
    const at = (width: number) => lines(table(some, narrow, { ...plain, columns: width }))[1];
    expect(at(55)).toBe('0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40  completed  a name');
    expect(at(50)).toBe('0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40  completed');
    expect(at(40)).toBe('0197c2a5-0b6d-7a19-b…  completed  a name');
    expect(at(26)).toBe('0197c2a5-0b6d-…  completed');
  });

  it('fits any width that its ids fit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
        fc.integer({ min: 8, max: 120 }),
        (names, width) => {
          const some = names.map((name, index) => ({ id: `id-${index}`, name, count: index }));
          for (const line of lines(table(some, columns, { ...plain, columns: width })))
            expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('obeys no escape sequence in its cells', () => {
    const text = table(
      [{ id: 'x', name: '\u001b[2J\u001b]0;pwned\u0007\nsecond line', count: 1 }],
      columns,
      plain,
    );
    expect(text).not.toContain('\u001b');
    expect(lines(text)).toHaveLength(2);
  });
});

describe('details', () => {
  it('have a label and a value on each line, without what there is nothing to say about', () => {
    expect(
      details(
        [
          ['Run', 'x'],
          ['Settled', null],
          ['Name', 'y'],
        ],
        plain,
      ),
    ).toBe('Run:  x\nName: y\n');
  });
});
