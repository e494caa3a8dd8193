import { describe, expect, it } from 'vitest';
import { child } from './json-pointer.ts';

describe('a JSON pointer', () => {
  it('goes down by key and by index', () => {
    expect(child('', 'a')).toBe('/a');
    expect(child('/a', 0)).toBe('/a/0');
    expect(child('/a', '')).toBe('/a/');
  });

  it('escapes what has a meaning of its own', () => {
    expect(child('', 'a/b')).toBe('/a~1b');
    expect(child('', 'a~b')).toBe('/a~0b');
    expect(child('', '~/~/')).toBe('/~0~1~0~1');
  });
});
