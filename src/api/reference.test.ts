import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { methodEntries } from './methods.ts';
import { referencePage } from './reference.ts';

const page = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'json-rpc.md');

describe('docs/reference/json-rpc.md', () => {
  it('is what the method table says; `node scripts/api-reference.ts` writes it', async () => {
    expect(await readFile(page, 'utf8')).toBe(referencePage());
  });

  it('shows every method, and links only to headings that are there', () => {
    const text = referencePage();
    for (const [name] of methodEntries) expect(text).toContain(`### ${name}\n`);
    const headings = new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase()));
    for (const [, target = ''] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(target);
  });
});
