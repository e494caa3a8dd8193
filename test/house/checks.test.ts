import { describe, expect, it } from 'vitest';
import { danglingImports, findCycles, importGraph } from './cycles.ts';
import { anyTypes, silencedCompiler, uncountedCode } from './escapes.ts';
import { impurities } from './purity.ts';
import { rooms } from './rooms.ts';
import { brokenWalls } from './walls.ts';

// Each check of the house is shown something it must find, and something it must leave alone.
const file = (path: string, ...lines: string[]) => ({ path, text: lines.join('\n') });

describe('walls', () => {
  it.each([
    ['src/core/task.ts', "import { x } from '../engine/submit.ts';", 'core may not import engine'],
    ['src/core/task.ts', "import type { X } from '../store/row.ts';", 'core may not import store'],
    ['src/core/task.ts', "import { createHash } from 'node:crypto';", 'core imports nothing outside itself'],
    ['src/engine/submit.ts', "export * from '../store/sqlite/open.ts';", 'engine may not import store'],
    ['src/engine/submit.ts', "const m = await import('../router/pool.ts');", 'engine may not import router'],
    ['src/engine/submit.ts', "import pg from 'pg';", 'pg belongs to src/store/postgres/'],
    [
      'src/main.ts',
      "import { DatabaseSync } from 'node:sqlite';",
      'node:sqlite belongs to src/store/sqlite/',
    ],
    ['src/cli/list.ts', "import { main } from '../main.ts';", 'cli may not import main'],
    ['src/sdk/client.ts', "import { code } from '../core/errors.ts';", 'sdk may not import core'],
    ['src/store/open.ts', "import { suite } from './store.suite.ts';", 'imports the test file'],
    ['src/store/open.ts', "import { x } from '../../test/services/postgres.ts';", 'is not published'],
    ['src/cellar/x.ts', '', 'cellar is no room of the house'],
  ])('%s: %s', (path, line, problem) => {
    expect(brokenWalls([file(path, '', line)])).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['src/core/task.ts', "import { x } from './ports/store.ts';"],
    ['src/engine/submit.ts', "import { x } from '../core/task.ts';"],
    ['src/store/postgres/pool.ts', "import pg from 'pg';"],
    ['src/sdk/client.ts', "import type { Code } from '../core/errors.ts';"],
    ['src/cli/commands/serve.ts', "import { main } from '../../main.ts';"],
    ['src/core/task.test.ts', "import { x } from '../engine/submit.ts';"],
    ['src/core/task.ts', "// import { x } from '../engine/submit.ts';"],
    ['src/core/task.ts', 'const text = "import { x } from \'../engine/submit.ts\'";'],
  ])('%s: %s is allowed', (path, line) => {
    expect(brokenWalls([file(path, line)])).toEqual([]);
  });

  it('are a table without cycles, apart from the two roots that see everything', () => {
    const graph = new Map(
      Object.entries(rooms).map(([room, { may }]) => [room, may === 'everything' ? [] : may]),
    );
    expect(findCycles(graph)).toEqual([]);
  });
});

describe('cycles', () => {
  it('are found, over several files and through types and re-exports', () => {
    const graph = importGraph([
      file('src/core/a.ts', "import { b } from './b.ts';"),
      file('src/core/b.ts', "export { c } from './deep/c.ts';"),
      file('src/core/deep/c.ts', "import type { A } from '../a.ts';"),
      file('src/core/d.ts', "import { a } from './a.ts';"),
    ]);
    expect(findCycles(graph)).toEqual([
      ['src/core/a.ts', 'src/core/b.ts', 'src/core/deep/c.ts', 'src/core/a.ts'],
    ]);
  });

  it('are not seen in a diamond', () => {
    const graph = new Map([
      ['a', ['b', 'c']],
      ['b', ['d']],
      ['c', ['d']],
      ['d', []],
    ]);
    expect(findCycles(graph)).toEqual([]);
  });

  it('cannot hide behind an import that resolves to nothing', () => {
    const graph = importGraph([file('src/core/a.ts', "import { b } from './b.js';")]);
    expect(danglingImports(graph)).toEqual(['src/core/a.ts → src/core/b.js']);
  });
});

describe('escapes', () => {
  it.each([
    'let x: any;',
    'f(x as any)',
    'type T = Record<string, any>;',
    'const a: any[] = [];',
    'type U = <any>() => 1',
  ])('any in %s', (line) => expect(anyTypes(file('a.ts', line))).toEqual(['a.ts:1 any']));

  it.each(['await Promise.any(all)', '// any', "'as any'", 'const x = { any: 1 };', 'type T = { any?: 1 }'])(
    'no any in %s',
    (line) => expect(anyTypes(file('a.ts', line))).toEqual([]),
  );

  it('comments that silence the compiler, except in type tests', () => {
    const line = '// @ts-expect-error: it is fine';
    expect(silencedCompiler(file('src/a.ts', '', line))).toEqual([`src/a.ts:2 ${line}`]);
    expect(silencedCompiler(file('src/a.test-d.ts', line))).toEqual([]);
    expect(silencedCompiler(file('src/a.ts', "const text = '@ts-ignore';"))).toEqual([]);
  });

  it.each([
    '/* v8 ignore next */',
    '// c8 ignore start',
    '/* istanbul ignore if */',
    '/* node:coverage disable */',
  ])('coverage left out by %s', (line) =>
    expect(uncountedCode(file('src/a.ts', line))).toEqual([`src/a.ts:1 ${line}`]),
  );
});

describe('impurities', () => {
  it.each([
    ['const t = Date.now();', 'Date.now'],
    ['const t = new Date();', 'Date()'],
    ['const t = Date();', 'Date()'],
    ['const t = performance.now();', 'performance'],
    ['const r = Math.random();', 'Math.random'],
    ['setTimeout(f, 1);', 'setTimeout'],
    ['globalThis.setTimeout(f, 1);', 'globalThis'],
    ['const later = setImmediate;', 'setImmediate'],
    ['const home = process.env.HOME;', 'process'],
    ["console.log('x');", 'console'],
    ['queueMicrotask(f);', 'queueMicrotask'],
    ['const s = AbortSignal.timeout(5);', 'AbortSignal.timeout'],
    ["import { setTimeout as pause } from 'node:timers/promises';", 'node:timers/promises'],
    ["import { randomUUID } from 'node:crypto';", 'randomUUID'],
  ])('%s', (line, found) => {
    expect(impurities(file('src/core/a.ts', '', line))).toContainEqual(`src/core/a.ts:2 ${found}`);
  });

  it.each([
    'const t = new Date(at).toISOString();',
    'const t = Date.parse(text);',
    'const cancel = timers.setTimeout(f, 1);',
    'interface Timers { setTimeout(run: () => void, ms: number): void }',
    'const t = clock.now();',
    'const option = { process: 1 };',
    "import { createHash } from 'node:crypto';",
  ])('%s is pure', (line) => {
    expect(impurities(file('src/engine/a.ts', line))).toEqual([]);
  });
});
