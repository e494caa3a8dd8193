import type { Json, JsonObject } from '../core/json.ts';
import { schemaCompiler } from '../registry/compile.ts';
import { explain } from '../registry/schema-errors.ts';

/** Judges values by schemas that services give of their own results: compiled like those of protocols, with the same care. */
export function judgeBy(schema: JsonObject): (value: Json) => string | null {
  const compiled = schemaCompiler()('/outputSchema', schema);
  return (value) => {
    const errors = compiled.check(value);
    if (errors === undefined) return null;
    const { pointer, reason } = explain(errors, []);
    return pointer === '' ? reason : `${pointer}: ${reason}`;
  };
}
