import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventSchema } from '../src/api/published.ts';
import { configFileSchema } from '../src/config/published.ts';
import { workflowFileSchema } from '../src/files/workflow/published.ts';

/** Writes the schemas that are shipped anew; a test says when that is due. */
const folder = join(import.meta.dirname, '..', 'schemas');
await mkdir(folder, { recursive: true });
for (const [name, schema] of Object.entries({
  workflow: workflowFileSchema,
  config: configFileSchema,
  event: eventSchema,
})) {
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
