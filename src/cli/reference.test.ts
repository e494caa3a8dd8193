import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../core/error-codes.ts';
import { exitsByCode } from './errors.ts';
import { exits } from './exits.ts';
import { outputSchemas } from './output-schemas.ts';
import { outputs } from './outputs.ts';
import { cliReference, exitsOf } from './reference.ts';
import { chapters, groups } from './specs/groups.ts';
import { specs } from './specs.ts';

const root = join(import.meta.dirname, '..', '..');
const page = await readFile(join(root, 'docs', 'reference', 'cli.md'), 'utf8');
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
const shown = specs.filter(({ hidden }) => !hidden);

describe('docs/reference/cli.md and schemas/output.json', () => {
  it('say what the specs say (node scripts/cli-reference.ts writes them)', async () => {
    expect(page).toBe(cliReference({ specs, chapters, groups }));
    expect(await readFile(join(root, 'schemas', 'output.json'), 'utf8')).toBe(outputSchemas());
  });

  it('have every exit status of the code, and no other', () => {
    const rows = page
      .split('\n')
      .filter((line) => /^\| \d+ \|/.test(line))
      .map(cellsOf);
    const told = rows.map(([status, name]) => [Number(status), name?.replaceAll(' ', '_')]);
    expect(told).toEqual(Object.entries(exits).map(([name, { status }]) => [status, name]));
    const codes = rows.flatMap(([, name = '', , list = '']) =>
      list
        .split(', ')
        .filter((code) => code !== '')
        .map((code) => [code, name.replaceAll(' ', '_')]),
    );
    expect(Object.fromEntries(codes)).toEqual(exitsByCode);
    for (const [code] of codes) expect(Object.keys(errorCodes)).toContain(code);
  });

  it('tell of every command with the ways it can end', () => {
    for (const spec of shown) {
      const part = page.split(/^#+ gleitzeit /m).find((text) => text.startsWith(`${spec.name}\n`)) ?? '';
      const ends = /^Ends with (.*)\.$/m.exec(part)?.[1] ?? '';
      const statuses = [...ends.matchAll(/(?:^|, )(\d+) /g)].map(([, status]) => Number(status));
      expect(statuses, spec.name).toEqual(exitsOf(spec).map((name) => exits[name].status));
    }
  });
});

describe('the specs', () => {
  it('are told in a chapter each, under a group that is described', () => {
    const listed = chapters.flatMap(({ commands }) => commands);
    for (const { name } of shown) {
      const [first = '', second] = name.split(' ');
      expect(listed, name).toContain(first);
      if (second !== undefined) expect(Object.keys(groups), name).toContain(first);
    }
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('have examples that call them, a summary of one line, and names of their own', () => {
    expect(new Set(specs.map(({ name }) => name)).size).toBe(specs.length);
    for (const { name, examples, summary } of shown) {
      expect(examples.length, name).toBeGreaterThan(0);
      for (const { command } of examples) expect(command, name).toContain(`gleitzeit ${name}`);
      expect(summary, name).toMatch(/^[^A-Z.].*[^.]$/);
    }
  });

  it('print what has a published schema', () => {
    for (const { name, output } of specs)
      if (output !== null) expect(Object.keys(outputs), name).toContain(output);
    const used = new Set(specs.map(({ output }) => output));
    for (const name of Object.keys(outputs)) if (name !== 'error') expect(used, name).toContain(name);
  });
});
