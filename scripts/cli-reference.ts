import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputSchemas } from '../src/cli/output-schemas.ts';
import { cliReference } from '../src/cli/reference.ts';
import { chapters, groups } from '../src/cli/specs/groups.ts';
import { specs } from '../src/cli/specs.ts';

/** Writes the reference of the command line and the schemas of its output anew; tests say when that is due. */
const root = join(import.meta.dirname, '..');
await writeFile(join(root, 'docs', 'reference', 'cli.md'), cliReference({ specs, chapters, groups }));
await writeFile(join(root, 'schemas', 'output.json'), outputSchemas());
