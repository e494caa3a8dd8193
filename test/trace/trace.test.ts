import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const section = /## The way of one task\n([\s\S]*?)\nWhat a commit \*means\*/.exec(
  readFileSync(new URL('ARCHITECTURE.md', root), 'utf8'),
)?.[1];
const stops = [...(section ?? '').matchAll(/^\| \d \| `([^`]+)` \| `([^`]+)`/gm)].map(([, file, name]) => ({
  file,
  name,
}));
const named = [...(section ?? '').matchAll(/`(src\/[^`]+)`/g)].map(([, path]) => String(path));

type Trace = { readonly entered: readonly string[]; readonly called: readonly string[] };

function record(): Trace {
  const program = fileURLToPath(new URL('test/trace/record.ts', root));
  const args = stops.map(({ file, name }) => `${file}#${name}`);
  return JSON.parse(execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })) as Trace;
}

describe('the way of one task, as ARCHITECTURE.md tells it', () => {
  const trace = record();

  it('has seven stops, entered in this order', () => {
    expect(stops).toHaveLength(7);
    expect(trace.called).toEqual(stops.map(({ file }) => file));
  });

  it('enters no module that is not named there', () => {
    const known = (path: string) =>
      named.some((name) => (name.endsWith('/') ? path.startsWith(name) : path === name));
    expect(trace.entered.filter((path) => !known(path))).toEqual([]);
  });

  it('names no module that is not entered', () => {
    const entered = (name: string) =>
      trace.entered.some((path) => (name.endsWith('/') ? path.startsWith(name) : path === name));
    expect(named.filter((name) => !entered(name))).toEqual([]);
  });
});
