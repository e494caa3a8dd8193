import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idInHead } from './id-in-head.ts';

const idOf = (text: string) => idInHead(Buffer.from(text));

describe('the id of a message that is not parsed', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":[[[', 7],
    ['{"id":"a\\"b" , "result":', 'a"b'],
    ['{ "id" : -1.5e1 }', -15],
    ['{"id":null,"error":', null],
    ['{"result":{"id":1},"id":2', 2],
    ['{"result":["id",1],"x":"id","id":"right"}', 'right'],
    ['[{"id":1}]', undefined],
    ['{"result":{"id":1},', undefined],
    ['{"a":"id","b":1}', undefined],
    ['{"id":{"id":1}}', undefined],
    ['{"id":"cut of', undefined],
    ['{"id"', undefined],
    ['{"id":', undefined],
    ['', undefined],
    ['"id":1', undefined],
    ['no JSON "id": 1', undefined],
  ])('%s: %s', (head, id) => expect(idOf(head)).toBe(id));

  it('is the one parsing would find', () => {
    const id = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
    const members = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
    fc.assert(
      fc.property(members, id, members, (before, value, after) => {
        const { id: _, ...rest } = before;
        const { id: __, ...others } = after;
        const message = { ...rest, id: value, ...others };
        expect(idOf(JSON.stringify(message))).toBe(value);
      }),
    );
  });

  it('reads anything without trouble', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        idInHead(bytes);
      }),
    );
  });
});
