import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../source/files.ts';
import type { Section } from './llms.ts';

/** All pages by the need they answer. A new page in one of these folders is listed by itself. */
export function sections(): readonly Section[] {
  return [
    { title: 'Begin', paths: ['README.md', ...pagesIn('docs/tutorial')] },
    { title: 'How to', paths: pagesIn('docs/how-to') },
    { title: 'Reference', paths: pagesIn('docs/reference') },
    { title: 'Explanation', paths: [...pagesIn('docs/explanation'), 'ARCHITECTURE.md', 'SECURITY.md'] },
    { title: 'Examples', paths: examplePages() },
    { title: 'Contribute', paths: ['AGENTS.md', 'CHANGELOG.md'] },
  ];
}

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(projectRoot, folder)).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => `${folder}/${name}`);
}

function examplePages(): string[] {
  const folders = readdirSync(join(projectRoot, 'examples')).filter((name) => /^\d\d-/.test(name));
  return folders.sort().map((name) => `examples/${name}/README.md`);
}
