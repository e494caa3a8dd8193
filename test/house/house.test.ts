import { describe, expect, it } from 'vitest';
import { isTestFile, sourceFiles } from '../../scripts/source/files.ts';
import { danglingImports, findCycles, importGraph } from './cycles.ts';
import { anyTypes, silencedCompiler, uncountedCode } from './escapes.ts';
import { impurities } from './purity.ts';
import { longestFile, longFile, pureRooms } from './rooms.ts';
import { brokenWalls } from './walls.ts';

const source = sourceFiles(['src']);
const everything = [...source, ...sourceFiles(['test', 'scripts', 'bench', 'examples', 'bin'])];

describe('the house', () => {
  it('has its walls: no room imports what the table does not allow', () => {
    expect(source.length).toBeGreaterThan(0);
    expect(brokenWalls(source)).toEqual([]);
  });

  it('has no import cycle', () => {
    const graph = importGraph(everything);
    expect(danglingImports(graph)).toEqual([]);
    expect(findCycles(graph).map((cycle) => cycle.join(' → '))).toEqual([]);
  });

  it('has no any', () => {
    expect(everything.flatMap(anyTypes)).toEqual([]);
  });

  it('silences neither the compiler nor the coverage', () => {
    expect(everything.flatMap(silencedCompiler)).toEqual([]);
    expect(source.flatMap(uncountedCode)).toEqual([]);
  });

  it('hands clock, randomness, timers and environment to the rules and the engine', () => {
    const pure = source.filter((file) => pureRooms.some((room) => file.path.startsWith(room)));
    expect(pure.filter((file) => !isTestFile(file.path)).flatMap(impurities)).toEqual([]);
  });

  it(`has no file over ${longestFile} lines`, () => {
    const sizes = everything.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    const long = sizes.filter(({ lines }) => lines >= longFile).map(({ path, lines }) => `${path} ${lines}`);
    if (long.length > 0) console.warn(`Files of ${longFile} lines or more:\n  ${long.join('\n  ')}`);
    expect(sizes.filter(({ lines }) => lines > longestFile)).toEqual([]);
  });
});
