import { describe, expect, it } from 'vitest';
import { type Block, blocksOf } from '../../scripts/documents/blocks.ts';
import { allPages } from '../../scripts/documents/pages.ts';
import { commonOptions } from '../../src/cli/common-options.ts';
import type { CommandSpec } from '../../src/cli/spec.ts';
import { specs } from '../../src/cli/specs.ts';

type Shown = { readonly where: string; readonly words: readonly string[] };

/** What the pages tell readers to type, apart from the reference that is made from the specs. */
const shown = allPages()
  .filter(({ path }) => path !== 'docs/reference/cli.md')
  .flatMap(({ path, text }) => blocksOf(text).flatMap((block) => commandsIn(block, path)));

function commandsIn({ language, text, line }: Block, path: string): Shown[] {
  if (language !== 'sh') return [];
  const whole = text.replaceAll('\\\n', ' ').replaceAll(/(^|\s)#.*$/gm, '');
  return [...whole.matchAll(/(?:^|[\s(])gleitzeit +([^|;&)\n]+)/g)].map(([, rest = '']) => ({
    where: `${path}:${line}: gleitzeit ${rest.trim()}`,
    // What a shell would put in is no word of ours.
    words: rest
      .replaceAll(/\$\([^)]*$|"[^"]*"|'[^']*'/g, 'x')
      .trim()
      .split(/\s+/),
  }));
}

function specOf([first, second]: readonly string[]): CommandSpec | undefined {
  return specs.find(({ name }) => name === `${first} ${second}`) ?? specs.find(({ name }) => name === first);
}

function flagsOf(spec: CommandSpec): Set<string> {
  const all = [...(spec.options ?? []), ...commonOptions].map(({ flags }) => flags);
  return new Set(all.flatMap((flags) => flags.match(/(?<![\w-])--?[\w-]+/g) ?? []));
}

describe('commands on the pages', () => {
  it('are many', () => {
    expect(shown.length).toBeGreaterThan(30);
  });

  it('are there, with the options they are shown with', () => {
    const wrong = shown.flatMap(({ where, words }) => {
      if (words[0]?.startsWith('-')) return [];
      const spec = specOf(words);
      if (spec === undefined) return [`${where}: there is no such command`];
      const known = flagsOf(spec);
      const flags = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));
      return flags.filter((flag) => !known.has(flag)).map((flag) => `${where}: there is no ${flag}`);
    });
    expect(wrong).toEqual([]);
  });
});
