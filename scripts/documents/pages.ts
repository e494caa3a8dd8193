import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../source/files.ts';

export type Page = {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

const never = new Set(['node_modules', 'dist', 'results', 'peers', 'coverage']);

/** Every Markdown file of the project. */
export function allPages(root: string = projectRoot): Page[] {
  return walk(root).map((file) => pageAt(relative(root, file).replaceAll('\\', '/'), root));
}

export function pageAt(path: string, root: string = projectRoot): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

function walk(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (never.has(entry.name) || entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return walk(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}
