import type { TSchema } from 'typebox';
import type { Json } from '../../core/json.ts';
import type { JsonSchema } from '../../core/json-schema.ts';
import { type Compile, type CompiledSchema, schemaCompiler } from '../../registry/compile.ts';
import { explain } from '../../registry/schema-errors.ts';

export type Trouble = { readonly field: string; readonly reason: string };

/** Null where the value fits. What is secret by its schema is never quoted. */
export type Check = (value: Json) => Trouble | null;

let compile: Compile | undefined;

/** Compiled when it is first asked. */
export function checkOf(name: string, schema: TSchema): Check {
  let compiled: CompiledSchema | undefined;
  return (value) => {
    compile ??= schemaCompiler();
    // Of JSON as any other schema, whatever its builder's types say.
    compiled ??= compile(`/zone/${name}`, JSON.parse(JSON.stringify(schema)) as JsonSchema);
    const errors = compiled.check(value);
    if (errors === undefined) return null;
    const { pointer, reason } = explain(errors, compiled.secrets);
    return { field: pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~'), reason };
  };
}
