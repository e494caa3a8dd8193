import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configReference } from '../src/config/reference.ts';
import { providerTypes } from '../src/dialects/registry.ts';

/** Writes the reference of the configuration anew; a test says when that is due. */
const page = configReference(Object.fromEntries(providerTypes));
await writeFile(join(import.meta.dirname, '..', 'docs', 'reference', 'configuration.md'), page);
