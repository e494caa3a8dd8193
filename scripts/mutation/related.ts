import { resolveImport, type SourceFile } from '../source/files.ts';
import { importsOf } from '../source/imports.ts';

/** The tests that reach a file through their imports, the one beside it first. */
export function relatedTests(path: string, files: readonly SourceFile[]): string[] {
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const found of importsOf(file.text)) {
      const target = resolveImport(file.path, found.specifier);
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), file.path]);
    }
  const reached = new Set([path]);
  // The set grows while it is walked, until nothing new imports any of it.
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  const beside = path.replace(/\.ts$/, '.test.ts');
  const tests = [...reached].filter((file) => file.endsWith('.test.ts'));
  return tests.sort((a, b) => Number(b === beside) - Number(a === beside));
}
