import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { projectRoot } from '../source/files.ts';
import { proseOf } from './blocks.ts';
import { type Page, pageAt } from './pages.ts';

/** What a page points to, outside of its code. */
export function linksOf(text: string): string[] {
  // Text between brackets may hold code and brackets of its own, as in a link around an image.
  const written = [...proseOf(text).matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const html = [...proseOf(text).matchAll(/\b(?:src|srcset|href)="([^"\s]+)"/g)];
  return [...written, ...html].map(([, target = '']) => target);
}

/** The names under which the headings of a page can be linked to, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const title of headingsOf(text)) {
    const slug = slugOf(title);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  for (const [, name = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name);
  return anchors;
}

/** Titles as they are read, in their order. */
export function headingsOf(text: string): string[] {
  const lines = text.split('\n');
  const prose = proseOf(text).split('\n');
  return lines.flatMap((line, index) => {
    const isHeading = /^#{1,6} /.test(prose[index] ?? '');
    return isHeading ? [line.replace(/^#+ /, '').trim()] : [];
  });
}

function slugOf(title: string): string {
  const read = title.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  return read
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Every relative link of a page that leads nowhere, with why. */
export function brokenLinks(page: Page, root: string = projectRoot): string[] {
  return linksOf(page.text).flatMap((target) => {
    if (/^[a-z][a-z+.-]*:/.test(target)) return [];
    const why = trouble(page, target, root);
    return why === null ? [] : [`${page.path}: ${target} ${why}`];
  });
}

function trouble(page: Page, target: string, root: string): string | null {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page.path : posix.join(posix.dirname(page.path), decodeURIComponent(file));
  if (path.startsWith('..')) return 'leads out of the project';
  if (file !== '' && !existsSync(join(root, path))) return 'is not there';
  if (anchor === undefined) return null;
  if (!path.endsWith('.md')) return null;
  const text = path === page.path ? page.text : pageAt(path, root).text;
  return anchorsOf(text).has(anchor) ? null : 'has no such heading';
}
