import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../scripts/documents/blocks.ts';
import { sections } from '../../scripts/documents/index.ts';
import { brokenLinks } from '../../scripts/documents/links.ts';
import { llmsFull, llmsIndex } from '../../scripts/documents/llms.ts';
import { allPages, pageAt } from '../../scripts/documents/pages.ts';
import { projectRoot } from '../../scripts/source/files.ts';

const pages = allPages();

describe('the pages', () => {
  it('link only to files and headings that are there', () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap((page) => brokenLinks(page))).toEqual([]);
  });

  it('have blocks that end', () => {
    for (const { path, text } of pages) expect(() => blocksOf(text), path).not.toThrow();
  });

  it('speak of the project and nothing else', () => {
    const foreign = pages.filter(({ text }) => /\/work\/|\/root\/|\bTODO\b|\bFIXME\b/.test(text));
    expect(foreign.map(({ path }) => path)).toEqual([]);
  });

  it('are all reached from the index', () => {
    const index = pageAt('docs/README.md').text;
    const paths = pages
      .map(({ path }) => path)
      .filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
    expect(paths.filter((path) => !index.includes(`(${path.slice('docs/'.length)})`))).toEqual([]);
  });
});

describe('README.md', () => {
  it('has at most 200 lines', () => {
    expect(pageAt('README.md').text.split('\n').length - 1).toBeLessThanOrEqual(200);
  });
});

describe('the failure matrix', () => {
  const page = pageAt('docs/explanation/failure-matrix.md');
  const rows = page.text.split('\n').filter((line) => /^\| (?!what fails|---)/.test(line));

  it('names for each row a test that is there', () => {
    expect(rows.length).toBeGreaterThan(25);
    for (const row of rows) {
      const [, title = '', file = ''] = /\[([^\]]+)\]\(\.\.\/\.\.\/([^)]+)\) \|$/.exec(row) ?? [];
      expect(titlesIn(file), row).toContain(title);
    }
  });
});

function titlesIn(file: string): string[] {
  const text = readFileSync(join(projectRoot, file), 'utf8');
  return [...text.matchAll(/\b(?:it|describe)(?:\.\w+)?\(\s*(['"`])(.+?)\1/g)].map(
    ([, , title = '']) => title,
  );
}

describe('what programs read instead of the pages', () => {
  it.each([
    ['docs/llms.txt', llmsIndex],
    ['docs/llms-full.txt', llmsFull],
  ])('%s is made from them; `node scripts/llms.ts` writes it', (path, made) => {
    expect(readFileSync(join(projectRoot, path), 'utf8') === made(sections())).toBe(true);
  });
});
