import { proseOf } from './blocks.ts';
import { headingsOf } from './links.ts';
import { type Page, pageAt } from './pages.ts';

/** The pages that programs are pointed to, in the order in which somebody would read them. */
export type Section = { readonly title: string; readonly paths: readonly string[] };

const summary =
  'Gleitzeit runs durable workflows over any agent that speaks JSON-RPC 2.0: accepted work survives kill -9, is retried, ' +
  'and hands its results on. Embedded on SQLite, or on Postgres with many engines.';

/** A short index: what there is, and in one sentence what each page is about. */
export function llmsIndex(sections: readonly Section[]): string {
  const parts = sections.map(({ title, paths }) => {
    const lines = paths.map((path) => {
      const page = pageAt(path);
      return `- [${titleOf(page)}](${fromDocs(path)}): ${firstSentence(page)}`;
    });
    return [`## ${title}`, '', ...lines, ''].join('\n');
  });
  return ['# Gleitzeit', '', `> ${summary}`, '', ...parts].join('\n');
}

/** All pages in one text. */
export function llmsFull(sections: readonly Section[]): string {
  const pages = sections.flatMap(({ paths }) => paths.map((path) => pageAt(path)));
  const texts = pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`);
  return [`# Gleitzeit\n\n> ${summary}\n`, ...texts].join('\n');
}

export function titleOf(page: Page): string {
  return headingsOf(page.text)[0] ?? page.path;
}

function fromDocs(path: string): string {
  return path.startsWith('docs/') ? path.slice('docs/'.length) : `../${path}`;
}

/** The first sentence of the first paragraph that is one. */
function firstSentence(page: Page): string {
  const paragraphs = page.text.split(/\n\s*\n/).map((text) => text.trim());
  const first = paragraphs.find((text) => text !== '' && isProse(text)) ?? '';
  const plain = first.replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return /^.*?\.(?=\s|$)/.exec(plain)?.[0] ?? plain;
}

function isProse(text: string): boolean {
  return !/^(#|<|```|\||- |!\[|\[!)/.test(text) && proseOf(text).trim() !== '';
}
