import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import type { ClaimedTask, StoreReads, TaskInput } from '../core/ports/store.ts';
import { fillReferences } from '../core/references.ts';
import { mapSealed, maySeal } from '../core/secrets.ts';

export type PrepareParts = { readonly schemas: Schemas; readonly cipher: Cipher; readonly reads: StoreReads };

export type Prepared = {
  readonly params: JsonObject;
  /** Secrets that are in the clear from here on, to be kept out of errors. */
  readonly secrets: readonly string[];
};

/** What is sent to the service: secrets opened, references filled in, and checked again if that changed anything. */
export async function prepare(parts: PrepareParts, claimed: ClaimedTask): Promise<Prepared> {
  const { body } = claimed;
  const secrets: string[] = [];
  const template = open(parts.cipher, body.params, secrets);
  // Checked when the task was accepted; without references nothing has changed since.
  if (!body.params.includes('${') && secrets.length === 0) return { params: asObject(template), secrets };
  const inputs = claimed.inputs ?? (await parts.reads.inputs(body.task_id));
  const scope = {
    task: (id: string) => resultOf(parts.cipher, inputs, id, secrets),
    input: claimed.run_input === null ? null : open(parts.cipher, claimed.run_input, secrets),
  };
  const { protocol, method } = body.spec;
  const filled = asObject(fillReferences(template, scope));
  return { params: parts.schemas.checkParams({ protocol, method, params: filled, stage: 'final' }), secrets };
}

function resultOf(
  cipher: Cipher,
  inputs: Readonly<Record<string, TaskInput>>,
  id: string,
  secrets: string[],
): Json | undefined {
  const input = Object.hasOwn(inputs, id) ? inputs[id] : undefined;
  return input?.result == null ? undefined : open(cipher, input.result, secrets);
}

/** The value of a stored JSON text, its sealed parts opened. */
function open(cipher: Cipher, text: string, secrets: string[]): Json {
  const value = JSON.parse(text) as Json;
  if (!maySeal(text)) return value;
  return mapSealed(value, (sealed) => {
    const opened = cipher.open(sealed);
    const secret = JSON.parse(opened) as Json;
    secrets.push(typeof secret === 'string' ? secret : opened);
    return secret;
  });
}

function asObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new GleitzeitError('GLZ1005', 'params must be an object', { field: 'params' });
}
