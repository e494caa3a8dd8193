import { type Components, hoist } from '../api/components.ts';
import type { Json } from '../core/json.ts';
import { outputs } from './outputs.ts';

/** The text of schemas/output.json: one schema for each name that commands give as their output, and what they share. */
export function outputSchemas(): string {
  const shared: Components = new Map();
  const $defs: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(outputs)) $defs[name] = hoist(schema, shared);
  for (const [title, schema] of [...shared].sort(([a], [b]) => (a < b ? -1 : 1))) $defs[title] = schema;
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'What gleitzeit prints with -o json',
    description: 'Each command names one of these in docs/reference/cli.md.',
    $defs,
  };
  return `${JSON.stringify(document, null, 2).replaceAll('#/components/schemas/', '#/$defs/')}\n`;
}
