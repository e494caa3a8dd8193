import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, jsonDepth } from '../core/json.ts';
import { MAX_JSON_DEPTH, MAX_KEPT } from '../core/limits.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import { maySeal, redactJson, SEALED } from '../core/secrets.ts';

export type Keeping = {
  readonly cipher: Cipher;
  /** What was in the clear in the call; null where that is not known. */
  readonly secrets: readonly string[] | null;
};

/**
 * What a call keeps, as it is stored: within its bounds, and sealed as a whole where it shows a secret. Masked it would
 * be of no use to the next attempt, which is all that reads it.
 */
export function storedKept(value: Json, { cipher, secrets }: Keeping): Json {
  const text = boundedText(value, 'what it keeps', MAX_KEPT);
  if (maySeal(text)) throw invalid(`what it keeps has "${SEALED}" as a key`);
  const kept = JSON.parse(text) as Json;
  const shows =
    secrets === null || (secrets.length > 0 && text !== JSON.stringify(redactJson(kept, secrets)));
  return shows ? { [SEALED]: cipher.seal(text) } : kept;
}

/** What was kept, of its stored text. */
export function keptFrom(text: string, cipher: Cipher): Json {
  const value = JSON.parse(text) as Json;
  const sealed = isObject(value) ? value[SEALED] : undefined;
  return typeof sealed === 'string' ? (JSON.parse(cipher.open(sealed)) as Json) : value;
}

/** Providers are code of others: what they hand over is looked at before it is kept. */
export function boundedText(value: Json, what: string, most: number): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw invalid(`${what} is no JSON`);
  if (text.length > most)
    throw invalid(`${what} has ${text.length} characters of JSON, and ${most} are the most`);
  if (jsonDepth(text, MAX_JSON_DEPTH) > MAX_JSON_DEPTH)
    throw invalid(`${what} nests deeper than ${MAX_JSON_DEPTH} levels`);
  return text;
}

export function invalid(reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the answer cannot be recorded: ${reason}`, { field: 'wait', reason });
}
