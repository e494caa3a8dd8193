import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTypeTables } from '../src/config/presets/reference.ts';
import { presetsIn } from '../src/config.ts';
import { providerTypes } from '../src/dialects/registry.ts';

/** Makes the tables of the page about provider types anew; a test says when that is due. */
const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'how-to', 'provider-types.md');
const types = presetsIn(join(root, 'types'));
await writeFile(page, withTypeTables(await readFile(page, 'utf8'), Object.fromEntries(providerTypes), types));
