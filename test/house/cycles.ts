import { resolveImport, type SourceFile } from '../../scripts/source/files.ts';
import { importsOf } from '../../scripts/source/imports.ts';

export type Graph = ReadonlyMap<string, readonly string[]>;

/** Imports of types count too: two files that need each other's types are one thing in two places. */
export function importGraph(files: readonly SourceFile[]): Graph {
  const edges = (file: SourceFile): string[] =>
    importsOf(file.text).flatMap((found) => resolveImport(file.path, found.specifier) ?? []);
  return new Map(files.map((file) => [file.path, edges(file)]));
}

/** One cycle for each edge that closes one, as the files along it. */
export function findCycles(graph: Graph): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    const at = path.indexOf(node);
    if (at >= 0) cycles.push([...path.slice(at), node]);
    if (at >= 0 || done.has(node)) return;
    path.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return cycles;
}

/** Imports that name a file which is not there; a graph with holes would hide cycles. */
export function danglingImports(graph: Graph): string[] {
  return [...graph].flatMap(([file, targets]) =>
    targets
      .filter((target) => target.startsWith('src/') && !graph.has(target))
      .map((target) => `${file} → ${target}`),
  );
}
