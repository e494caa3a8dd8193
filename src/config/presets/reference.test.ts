import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providerTypes } from '../../dialects/registry.ts';
import { presetsIn } from './presets.ts';
import { withTypeTables } from './reference.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(root, 'docs', 'how-to', 'provider-types.md'), 'utf8');
const presets = presetsIn(join(root, 'types'));

describe('docs/how-to/provider-types.md', () => {
  it('has the tables that the types give; `node scripts/provider-types.ts` writes them', () => {
    expect(page).toBe(withTypeTables(page, Object.fromEntries(providerTypes), presets));
    for (const name of ['services', 'dialects', 'kinds', 'types'])
      expect(page).toContain(`table: ${name} -->`);
  });

  it('names every type, and which of them are unverified', () => {
    for (const type of presets.names()) {
      const [, section = ''] = page.split(`\n### ${type}\n`);
      const [own] = section.split('\n### ');
      expect(own?.includes('Unverified'), type).toBe(presets.get(type)?.unverified);
    }
  });

  it('is told of a table that is none', () => {
    expect(() => withTypeTables('<!-- table: no -->\n<!-- end -->', {}, presets)).toThrow('no table "no"');
  });
});
