import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/source/files.ts';
import { errorCodes } from '../../src/core/error-codes.ts';
import { defaultRetry } from '../../src/core/retry.ts';

const page = readFileSync(join(projectRoot, 'docs', 'reference', 'errors.md'), 'utf8');
/** A heading for each code, the line that says what it is, and a paragraph. Programs link to the headings. */
const rows = [...page.matchAll(/^### (GLZ\d+)\n\n`(\w+)` · JSON-RPC (-?\d+) · class `(\w+)`\n\n(.+)$/gm)].map(
  (match) => match.slice(1),
);
const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);

describe('docs/reference/errors.md', () => {
  it('lists every code as it is, in order, and no other', () => {
    const expected = Object.entries(errorCodes).map(([code, { name, rpc, class: kind }]) => [
      code,
      name,
      String(rpc),
      kind,
    ]);
    expect(rows.map((row) => row.slice(0, 4))).toEqual(expected);
    expect(headings).toEqual(Object.keys(errorCodes));
  });

  it('says of each what it means and what to do', () => {
    for (const [code, , , , text] of rows) expect(text, code).toMatch(/^[A-Z].{40,}\.$/);
  });

  it('names the classes that are tried again, and those that are final', () => {
    const [, again, final] =
      /Its default is ([^.]*)\. The classes ([^.]*) are final/.exec(page.replaceAll('\n', ' ')) ?? [];
    const words = (text = '') => [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word);
    const classes = new Set(Object.values(errorCodes).map((entry) => entry.class));
    expect(words(again)).toEqual(defaultRetry.retry_on);
    expect(new Set([...words(again), ...words(final)])).toEqual(classes);
  });
});
