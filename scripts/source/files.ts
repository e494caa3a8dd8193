import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export type SourceFile = {
  /** Relative to the project, with forward slashes on every platform. */
  readonly path: string;
  readonly text: string;
};

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const never = new Set(['node_modules', 'dist', 'results', 'peers']);

/** The TypeScript and JavaScript files below the given folders of the project, in a stable order. */
export function sourceFiles(folders: readonly string[], root: string = projectRoot): SourceFile[] {
  return folders
    .flatMap((folder) => walk(join(root, folder)))
    .map((file) => ({
      path: relative(root, file).replaceAll('\\', '/'),
      text: readFileSync(file, 'utf8'),
    }));
}

export function isTestFile(path: string): boolean {
  return /\.(test|suite|test-d)\.ts$/.test(path);
}

/** The file a relative import names; undefined for packages and Node's own modules. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}

function walk(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return never.has(entry.name) ? [] : walk(path);
    return /\.(ts|js)$/.test(entry.name) ? [path] : [];
  });
}
