import { type JsonObject, own } from '../core/json.ts';
import { mapSubschemas } from '../core/json-schema.ts';
import { publishSchema } from '../files/publish.ts';
import { schema } from './schema.ts';

/** Text that a variable or a secret is put into when the file is read. */
const filled = { type: 'string', pattern: '\\$\\{' };

/**
 * JSON Schema 2020-12 of the configuration, for editors. What a provider is told depends on its type and is left open, and
 * wherever more than any text is wanted there may be `${NAME}` instead.
 */
export const configFileSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Gleitzeit configuration',
  ...orVariable(publishSchema(JSON.parse(JSON.stringify(schema)) as JsonObject)),
};

function orVariable(given: JsonObject): JsonObject {
  const inner = mapSubschemas(given, orVariable);
  const plain = ['object', 'array', 'null', undefined].includes(own(inner, 'type') as string | undefined);
  const narrow = ['enum', 'pattern', 'format'].some((word) => Object.hasOwn(inner, word));
  if (narrow ? own(inner, 'type') === 'object' : plain || own(inner, 'type') === 'string') return inner;
  const { description, default: fallback, ...rest } = inner;
  return {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    anyOf: [rest, filled],
  };
}
