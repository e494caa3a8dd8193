import { isObject, type Json } from '../core/json.ts';

/** Keys a schema may carry for other readers: those beginning with `x-`, and the formats it names. */
export type SchemaWords = {
  readonly annotations: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
};

const annotation = /^x-[a-z0-9_$:-]+$/i;

/** Found wherever they stand: a property that happens to be called `x-y` only makes the list longer. */
export function schemaWords(schema: Json): SchemaWords {
  const words = { annotations: new Set<string>(), formats: new Set<string>() };
  collect(schema, words);
  return words;
}

function collect(value: Json, words: { annotations: Set<string>; formats: Set<string> }): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, words);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (annotation.test(key)) words.annotations.add(key);
      if (key === 'format' && typeof item === 'string') words.formats.add(item);
      collect(item, words);
    }
  }
}
