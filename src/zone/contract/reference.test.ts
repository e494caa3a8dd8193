import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { zoneErrors } from './errors.ts';
import { zoneMethods } from './methods.ts';

const page = readFileSync(new URL('../../../docs/reference/zone-contract.md', import.meta.url), 'utf8');

describe('docs/reference/zone-contract.md', () => {
  it('has the table of errors as it is', () => {
    const rows = Object.values(zoneErrors).map(
      ({ code, message, when }) => `| ${code} | ${message} | ${when} |`,
    );
    expect(page).toContain(rows.join('\n'));
  });

  it.each(Object.entries(zoneMethods))('has every param of %s', (name, { params }) => {
    const [, part = ''] = page.split(`### ${name}\n`);
    const [section = ''] = part.split(/\n##/);
    const told = [...section.matchAll(/^\| `(\w+)`(\??) \|/gm)].map(([, key = '', open]) => [
      key,
      open === '',
    ]);
    const required: readonly string[] = params.required ?? [];
    const known = Object.keys(params.properties).map((key) => [key, required.includes(key)]);
    expect(told).toEqual(known);
  });
});
