import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sections } from './documents/index.ts';
import { llmsFull, llmsIndex } from './documents/llms.ts';

/** Writes what programs read instead of the pages; a test says when that is due. */
const docs = join(import.meta.dirname, '..', 'docs');
await writeFile(join(docs, 'llms.txt'), llmsIndex(sections()));
await writeFile(join(docs, 'llms-full.txt'), llmsFull(sections()));
