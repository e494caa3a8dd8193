import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { referencePage } from '../src/api/reference.ts';
import { restReferencePage } from '../src/api/rest-reference.ts';

/** Writes the references of the JSON-RPC and the REST API anew; tests say when that is due. */
const folder = join(import.meta.dirname, '..', 'docs', 'reference');
await writeFile(join(folder, 'json-rpc.md'), referencePage());
await writeFile(join(folder, 'rest-api.md'), restReferencePage());
