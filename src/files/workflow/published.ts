import type { JsonObject } from '../../core/json.ts';
import { publishSchema } from '../publish.ts';
import { batchSchema, workflowSchema } from './schema.ts';

/** JSON Schema 2020-12 of a workflow file, for editors and for whoever writes such files with a program. */
export const workflowFileSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Gleitzeit workflow file',
  anyOf: [publishSchema(workflowSchema), publishSchema(batchSchema)],
};
