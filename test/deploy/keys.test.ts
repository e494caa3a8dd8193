import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { pageAt } from '../../scripts/documents/pages.ts';
import { createCipher } from '../../src/store/cipher.ts';

const page = pageAt('docs/how-to/operate-bridges.md').text;
const rounds = [...page.matchAll(/^\d\. `((?:old|new)(?:,(?:old|new))*)`:/gm)].map(([, list = '']) => list);

it('the rounds in which a key is replaced let neighbours open what the others seal', () => {
  expect(rounds).toEqual(['old,new,old', 'new,old', 'new']);
  const keys: Readonly<Record<string, Buffer>> = { old: randomBytes(32), new: randomBytes(32) };
  const cipherOf = (list: string) => createCipher(() => list.split(',').flatMap((name) => keys[name] ?? []));
  const steps = ['old', ...rounds].map((list) => ({ list, cipher: cipherOf(list) }));
  for (const [index, { list, cipher }] of steps.entries())
    for (const other of steps.slice(index + 1, index + 2)) {
      expect(other.cipher.open(cipher.seal('a secret')), `${other.list} after ${list}`).toBe('a secret');
      expect(cipher.open(other.cipher.seal('a secret')), `${list} before ${other.list}`).toBe('a secret');
    }
  const marks = steps.slice(0, -1).map(({ cipher }) => cipher.mark('a secret'));
  expect(new Set(marks).size).toBe(1);
});
