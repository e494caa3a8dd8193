import { describe, expect, it } from 'vitest';
import { listIn, objectIn, textIn } from './members.ts';

const said = { object: { a: 1 }, list: [1], text: 'x', nothing: null };

describe('members of what others say', () => {
  it('are there where they are what was promised', () => {
    expect(objectIn(said, 'object')).toBe(said.object);
    expect(listIn(said, 'list')).toBe(said.list);
    expect(textIn(said, 'text')).toBe('x');
  });

  it.each(['list', 'text', 'nothing', 'missing', 'constructor'])('%s is no object', (key) => {
    expect(objectIn(said, key)).toEqual({});
  });

  it.each(['object', 'text', 'nothing', 'missing', 'toString'])('%s is no list', (key) => {
    expect(listIn(said, key)).toEqual([]);
  });

  it.each(['object', 'list', 'nothing', 'missing', '__proto__'])('%s is no text', (key) => {
    expect(textIn(said, key)).toBeNull();
  });

  it.each([null, undefined, 1, 'text', [1]])('%j has none', (value) => {
    expect([objectIn(value, 'length'), listIn(value, 'length'), textIn(value, '0')]).toEqual([{}, [], null]);
  });
});
