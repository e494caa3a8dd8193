import type { Static, TSchema } from 'typebox';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { toJson } from '../../core/json-safe.ts';
import type { JsonSchema } from '../../core/json-schema.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../../core/limits.ts';
import { type Compile, type CompiledSchema, schemaCompiler } from '../../registry/compile.ts';
import { explain } from '../../registry/schema-errors.ts';
import { measure, TOO_DEEP, TOO_MANY, textOf } from '../../rpc/guard.ts';

/** One payload in full, and what stands around it. */
export const MAX_MESSAGE = MAX_PAYLOAD + 1024 * 1024;
/** A payload stands a few levels deep in its message. */
const MAX_DEPTH = MAX_JSON_DEPTH + 4;

/** Reads what somebody put on a topic. Throws what is to stand in the dead letter: GLZ4005, GLZ4006 or GLZ1007. */
export type Reader<Value> = (bytes: Uint8Array) => Value;

let compile: Compile | undefined;

/** Members that the schema does not name are left alone: whoever reads a message ignores what it does not know. */
export function readerOf<Schema extends TSchema>(name: string, schema: Schema): Reader<Static<Schema>> {
  const check = checkerOf(name, schema);
  return (bytes) => check(parseMessage(bytes, name));
}

export function checkerOf<Schema extends TSchema>(
  name: string,
  schema: Schema,
): (value: Json) => Static<Schema> {
  let compiled: CompiledSchema | undefined;
  return (value) => {
    compile ??= schemaCompiler();
    // Of JSON as any other schema, whatever its builder's types say.
    compiled ??= compile(name, JSON.parse(JSON.stringify(schema)) as JsonSchema);
    const errors = compiled.check(value);
    if (errors === undefined) return value as Static<Schema>;
    const { pointer, reason, hint } = explain(errors, []);
    throw unreadable(name, { field: pointer, reason, hint });
  };
}

/** It is JSON, and not what is called for. */
export function unreadable(
  name: string,
  { field, reason, hint }: { field: string; reason: string; hint?: string | undefined },
): GleitzeitError {
  const message = `no ${name}: ${field === '' ? '' : `${field}: `}${reason}`;
  return new GleitzeitError('GLZ4006', message, { field, reason, ...(hint === undefined ? {} : { hint }) });
}

export function parseMessage(bytes: Uint8Array, name: string): Json {
  if (bytes.length > MAX_MESSAGE) {
    const reason = `has ${bytes.length} bytes, and ${MAX_MESSAGE} are the most that are read`;
    throw new GleitzeitError('GLZ1007', `no ${name}: ${reason}`, { reason });
  }
  const measured = measure(bytes, MAX_DEPTH);
  if (measured === TOO_DEEP)
    throw unreadable(name, { field: '', reason: `nested deeper than ${MAX_DEPTH} levels` });
  if (measured === TOO_MANY) throw unreadable(name, { field: '', reason: 'has too many members' });
  const text = decode(bytes, name);
  const value = parseText(text, name);
  // What a key like this does depends on who copies the object; nobody needs it.
  return MAY_NAME_PROTO.test(text) ? toJson(value, 'GLZ4006', '') : value;
}

const MAY_NAME_PROTO = /__proto__|\\u005[fF]/;

function decode(bytes: Uint8Array, name: string): string {
  try {
    return textOf(bytes);
  } catch (cause) {
    throw new GleitzeitError('GLZ4005', `no ${name}: not UTF-8`, { reason: 'not UTF-8' }, cause);
  }
}

function parseText(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    // What the parser says quotes the text, which may hold anything.
    throw new GleitzeitError('GLZ4005', `no ${name}: not JSON`, { reason: 'not JSON' }, cause);
  }
}
