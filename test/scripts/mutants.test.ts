import { describe, expect, it } from 'vitest';
import { choose, mutantsOf } from '../../scripts/mutation/mutants.ts';
import { relatedTests } from '../../scripts/mutation/related.ts';

const changes = (text: string): string[] =>
  mutantsOf({ path: 'a.ts', text }).map(({ before, after }) => `${before} → ${after}`);

describe('mutantsOf', () => {
  it.each([
    ['const x = a === b;', ['=== → !==']],
    ['const x = a < b;', ['< → <=', '< → >=']],
    ['const x = a && b;', ['&& → ||']],
    ['const x = a + b;', ['+ → -']],
    ['const x = !a;', ['! → ']],
    ['const x = true;', ['true → false']],
    ['const x = 1_000;', ['1_000 → 1001', '1_000 → 999']],
    ["const x = 'failed';", ["'failed' → ''"]],
    ["const x = '';", ["'' → 'mutant'"]],
    ['const x = [a, b];', ['[a, b] → []']],
    ['const x = a?.b(c) ?? d;', ['a?.b(c) ?? → ']],
    ['const x = f(a ?? b);', ['a ?? → ']],
    ['if (a) f();', ['a → true', 'a → false']],
    ['{ f(a); }', ['f(a) → ']],
    ['{ a.b = c; }', ['a.b = c → ']],
  ])('%s', (text, expected) => expect(changes(text)).toEqual(expected));

  it.each([
    ["import { a } from './a.ts';"],
    ["type T = 'a' | 'b' | 1 | true;"],
    ['function f<T extends { n: 1 }>(x: T, y: string[]): x is T & { n: 1 } { return; }'],
    ['const x = a as unknown as Map<string, 1>;'],
    ["// a === b, true, 1, ''"],
    ['const x = /a+b<1/;'],
    ['const x = `a ${b}`;'],
    ["throw new Error('a sentence for people');"],
    ['const [a, b] = c;'],
    ['const x = a[b];'],
    ['interface A { n: 1; f(a: true): void }'],
  ])('nothing to change in %s', (text) => expect(changes(text)).toEqual([]));

  it('knows the line and gives the whole file', () => {
    const [mutant] = mutantsOf({ path: 'a.ts', text: 'const a: number = b;\nconst c = a || b;\n' });
    expect(mutant).toMatchObject({ path: 'a.ts', line: 2, column: 13 });
    expect(mutant?.text).toBe('const a         = b;\nconst c = a && b;\n');
  });

  it('leaves out what would not parse', () => {
    expect(changes('const x = (a ?? b) || c;')).not.toContain('|| → ??');
    expect(changes('const x = a ?? (b && c);')).toEqual(['a ?? → ', '&& → ||']);
  });
});

describe('choose', () => {
  const items = Array.from({ length: 50 }, (_, index) => index);

  it('is the same for the same seed, another for another, and never takes one twice', () => {
    expect(choose(items, 10, 7)).toEqual(choose(items, 10, 7));
    expect(choose(items, 10, 7)).not.toEqual(choose(items, 10, 8));
    expect(new Set(choose(items, 99, 7))).toEqual(new Set(items));
  });
});

describe('relatedTests', () => {
  const file = (path: string, ...imports: string[]) => ({
    path,
    text: imports.map((name) => `import { x } from '${name}';`).join('\n'),
  });

  it('follows imports, and puts the test beside the file first', () => {
    const files = [
      file('src/core/a.ts'),
      file('src/core/b.ts', './a.ts'),
      file('src/core/b.test.ts', './b.ts'),
      file('src/core/a.test.ts', './a.ts'),
      file('src/core/c.test.ts'),
    ];
    expect(relatedTests('src/core/a.ts', files)).toEqual(['src/core/a.test.ts', 'src/core/b.test.ts']);
    expect(relatedTests('src/core/c.ts', files)).toEqual([]);
  });
});
