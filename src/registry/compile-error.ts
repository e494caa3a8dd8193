import { GleitzeitError } from '../core/errors.ts';
import { didYouMean } from '../core/suggest.ts';
import { explain, type SchemaError } from './schema-errors.ts';

const keywords = [
  '$anchor $comment $defs $dynamicAnchor $dynamicRef $ref additionalProperties allOf anyOf const contains default',
  'dependentRequired dependentSchemas deprecated description else enum examples exclusiveMaximum exclusiveMinimum',
  'format if items maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties',
  'minimum multipleOf not oneOf pattern patternProperties prefixItems properties propertyNames readOnly required then',
  'title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly x-secret',
].flatMap((line) => line.split(' '));

/**
 * GLZ1008: what is wrong with a schema that does not compile. The schema of schemas says best where; it is only asked
 * now, because asking it takes longer than compiling.
 */
export function compileError(
  thrown: unknown,
  at: string,
  metaErrors: () => readonly SchemaError[],
): GleitzeitError {
  if (thrown instanceof GleitzeitError) return invalid(at, thrown.message, thrown.details.hint);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const [, ref] = /^can't resolve reference (.*) from id/.exec(message) ?? [];
  if (ref !== undefined) return unresolved(at, ref);
  const [, unknown] = /unknown keyword: "(.*)"$/.exec(message) ?? [];
  if (unknown !== undefined) {
    return invalid(at, `unknown keyword "${unknown}"`, didYouMean(unknown, keywords, 'JSON Schema knows'));
  }
  const errors = metaErrors();
  if (errors.length === 0) return invalid(at, message);
  const { pointer, reason, hint } = explain(errors, []);
  return invalid(`${at}${pointer}`, reason, hint);
}

function unresolved(at: string, ref: string): GleitzeitError {
  return invalid(
    at,
    `$ref "${ref}" is not in this schema, and nothing is ever fetched`,
    'copy it below $defs',
  );
}

function invalid(field: string, reason: string, hint?: string): GleitzeitError {
  const details = hint === undefined ? { field, reason } : { field, reason, hint };
  return new GleitzeitError('GLZ1008', `${field}: ${reason}`, details);
}
