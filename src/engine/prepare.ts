import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import type { ClaimedTask, StoreReads, TaskInput, TaskPayloads } from '../core/ports/store.ts';
import { fillReferences } from '../core/references.ts';
import { mapPointers, mapSealed, maySeal, secretTexts } from '../core/secrets.ts';

export type PrepareParts = { readonly schemas: Schemas; readonly cipher: Cipher; readonly reads: StoreReads };

/**
 * What is sent to the service: secrets opened, references filled in, and checked again if that changed anything. Puts
 * into `secrets` what is in the clear from here on and has to be kept out of errors, also out of its own.
 */
export async function prepare(
  parts: PrepareParts,
  claimed: ClaimedTask,
  secrets: string[],
): Promise<JsonObject> {
  const { params: text, inputs, run_input } = claimed.payloads ?? (await readPayloads(parts.reads, claimed));
  const template = open(parts.cipher, text, secrets);
  // Also for a task that reads nothing of it: the service may know from another what is secret there, and repeat it.
  const input = run_input === null ? null : open(parts.cipher, run_input, secrets);
  // Checked when the task was accepted; without references nothing has changed since.
  if (!text.includes('${') && !maySeal(text)) return asObject(template);
  const scope = {
    task: (id: string) => resultOf(parts.cipher, inputs, id, secrets),
    input,
  };
  const { protocol, method } = claimed.body.spec;
  const params = asObject(fillReferences(template, scope, '/params'));
  // A secret field may have been filled from a result that nobody marked as secret.
  mapPointers(params, parts.schemas.secrets(protocol, method).params, (secret) => note(secret, secrets));
  return parts.schemas.checkParams({ protocol, method, params, stage: 'final' });
}

async function readPayloads(reads: StoreReads, { task: { task_id } }: ClaimedTask): Promise<TaskPayloads> {
  const payloads = await reads.payloads(task_id);
  if (payloads !== null) return payloads;
  throw new GleitzeitError('GLZ1010', `the task ${task_id} was removed before its call was made`);
}

function note(secret: Json, secrets: string[]): Json {
  secrets.push(...secretTexts(secret));
  return secret;
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
export function open(cipher: Cipher, text: string, secrets: string[]): Json {
  const value = JSON.parse(text) as Json;
  if (!maySeal(text)) return value;
  return mapSealed(value, (sealed) => note(JSON.parse(cipher.open(sealed)) as Json, secrets));
}

function asObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new GleitzeitError('GLZ1005', 'params must be an object', { field: 'params' });
}
