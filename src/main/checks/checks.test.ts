import { describe, expect, it } from 'vitest';
import { checkNode, isAtLeast } from './node.ts';
import { nearestFolder, sizeText } from './store.ts';

describe('what doctor looks at', () => {
  it.each([
    ['v24.15.0', '24.15', true],
    ['v24.14.9', '24.15', false],
    ['v25.0.0', '24.15', true],
    ['v22.99.0', '24.15', false],
  ])('node %s against %s: %s', (version, least, enough) => {
    expect(isAtLeast(version, least)).toBe(enough);
  });

  it('says what to do about a node that is too old', () => {
    const [, found] = checkNode('v20.1.0');
    expect(found).toMatchObject({ status: 'problem', hint: expect.stringContaining('install Node') });
  });

  it.each([
    [0, '0 KiB'],
    [1500, '2 KiB'],
    [5 * 1024 * 1024, '5.0 MiB'],
    [3.5 * 1024 ** 3, '3.5 GiB'],
  ])('%s bytes are %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it('finds the nearest folder that is there', () => {
    expect(nearestFolder('/no-such-folder-here/deeper/store.db')).toBe('/');
  });
});
