import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { listIn, objectIn } from '../../core/members.ts';
import { resolved } from './import-schema.ts';
import { member, type Reading } from './openapi-parameters.ts';

export type Body = {
  readonly required: boolean;
  readonly schema: Json;
  /** What the mapping says of it. */
  readonly mapping: JsonObject;
  /** Where it is not the one that is sent unless told otherwise. */
  readonly type: string | null;
};

const isJson = (type: string) => /^(?:application|text)\/json\b|\+json\b/i.test(type);
/** Written by tools that do not know better, and nearly always JSON. */
const isAnything = (type: string) => type.includes('*');

/** What is sent with a request, in the first of the ways we have; null for nothing. */
export function bodyOf(operation: JsonObject, { document, schemaOf, notes }: Reading): Body | null {
  const written = resolved(document, objectIn(operation, 'requestBody'));
  const content = objectIn(written, 'content');
  const types = Object.keys(content);
  const required = written['required'] === true;
  const schemaIn = (type: string) => schemaOf(own(objectIn(content, type), 'schema'));
  const json =
    types.find((type) => /^application\/json\b/i.test(type)) ?? types.find(isJson) ?? types.find(isAnything);
  if (json !== undefined) {
    const type = isAnything(json) || /^application\/json\b/i.test(json) ? null : json;
    return { required, schema: schemaIn(json), mapping: { body: '${params.body}' }, type };
  }
  for (const [name, as] of [
    ['application/x-www-form-urlencoded', 'form'],
    ['multipart/form-data', 'multipart'],
  ] as const) {
    const type = types.find((one) => one.toLowerCase().startsWith(name));
    if (type === undefined) continue;
    const schema = schemaIn(type);
    const names = [...propertiesOf(schema)];
    if (names.length === 0) notes.push(`the document does not say what the form of ${type} holds: see ${as}`);
    const fields = names.map((field) => [field, `\${params.body${member(field)}}`]);
    return { required, schema, mapping: { [as]: Object.fromEntries(fields) }, type: null };
  }
  const [type] = types;
  if (type === undefined) return null;
  const text = /^text\/|\bxml\b/i.test(type);
  const schema = text ? { type: 'string' } : { type: 'string', description: 'in base64' };
  return { required, schema, mapping: { [text ? 'text' : 'binary']: '${params.body}' }, type };
}

/** Those of a schema and of the schemas it is made of. */
function propertiesOf(schema: Json): Set<string> {
  const inner = ['allOf', 'anyOf'].flatMap((word) => listIn(schema, word));
  const own = Object.keys(objectIn(schema, 'properties'));
  return new Set([...own, ...inner.flatMap((one) => [...propertiesOf(one)])]);
}

/** The first answer that is a success. */
export function answerOf(operation: JsonObject, { document, schemaOf }: Reading) {
  const answers = objectIn(operation, 'responses');
  const status = Object.keys(answers).find((one) => /^2/.test(one)) ?? 'default';
  const answer = resolved(document, objectIn(answers, status));
  const content = objectIn(answer, 'content');
  const types = Object.keys(content);
  const json =
    types.find(isJson) ??
    types.find((type) => isAnything(type) && isObject(own(objectIn(content, type), 'schema')));
  if (json !== undefined) return { kind: 'json', schema: schemaOf(own(objectIn(content, json), 'schema')) };
  if (types.length === 0) return { kind: status === '204' ? 'none' : 'json', schema: undefined };
  return { kind: types.every((type) => /^text\//.test(type)) ? 'text' : 'binary', schema: undefined };
}
