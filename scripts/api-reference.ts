import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { referencePage } from '../src/api/reference.ts';

/** Writes the reference of the JSON-RPC API anew; a test says when that is due. */
await writeFile(join(import.meta.dirname, '..', 'docs', 'reference', 'json-rpc.md'), referencePage());
