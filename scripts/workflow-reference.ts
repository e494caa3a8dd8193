import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTables } from '../src/files/workflow/reference.ts';

/** Makes the tables of the page about workflow files anew; a test says when that is due. */
const page = join(import.meta.dirname, '..', 'docs', 'reference', 'workflow-files.md');
await writeFile(page, withTables(await readFile(page, 'utf8')));
