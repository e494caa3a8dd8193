import { isTestFile, resolveImport, type SourceFile } from '../../scripts/source/files.ts';
import { type Import, importsOf } from '../../scripts/source/imports.ts';
import { drivers, rooms, startingCommands } from './rooms.ts';

/** Every import in src/ that its room does not allow, as `file:line what is wrong`. Tests may look anywhere. */
export function brokenWalls(files: readonly SourceFile[]): string[] {
  return files.filter((file) => !isTestFile(file.path)).flatMap(problemsOf);
}

export function roomOf(path: string): string {
  return path.replace(/^src\//, '').replace(/(\/.*|\.ts)$/, '');
}

function problemsOf(file: SourceFile): string[] {
  const room = roomOf(file.path);
  if (!Object.hasOwn(rooms, room)) return [`${file.path}:1 ${room} is no room of the house`];
  return importsOf(file.text).flatMap((found) => {
    const problem = problemOf(file.path, room, found);
    return problem === undefined ? [] : [`${file.path}:${found.line} ${problem}`];
  });
}

function problemOf(path: string, room: string, found: Import): string | undefined {
  const target = resolveImport(path, found.specifier);
  if (target === undefined) return problemWithPackage(path, room, found.specifier);
  if (!target.startsWith('src/')) return `imports ${target}, which is not published`;
  if (isTestFile(target)) return `imports the test file ${target}`;
  const other = roomOf(target);
  return other === room || allowed(path, room, other, found.typeOnly)
    ? undefined
    : `${room} may not import ${other}`;
}

function allowed(path: string, room: string, other: string, typeOnly: boolean): boolean {
  const walls = rooms[room];
  if (walls === undefined) return false;
  if (walls.may === 'everything' || walls.may.includes(other)) return true;
  if (typeOnly && walls.types?.includes(other)) return true;
  return (
    room === 'cli' &&
    (other === 'main' || other === 'index') &&
    startingCommands.some((name) => path === `src/cli/${name}.ts` || path === `src/cli/commands/${name}.ts`)
  );
}

function problemWithPackage(path: string, room: string, specifier: string): string | undefined {
  if (room === 'core') return `core imports nothing outside itself, but ${specifier}`;
  const driver = Object.keys(drivers).find((name) => specifier === name || specifier.startsWith(`${name}/`));
  const homes = driver === undefined ? [] : [drivers[driver] ?? []].flat();
  return homes.length === 0 || homes.some((home) => path.startsWith(home))
    ? undefined
    : `${specifier} belongs to ${homes.join(', ')}`;
}
