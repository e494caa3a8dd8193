import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, own } from '../core/json.ts';

type Draft = { [key: string]: Json };

/**
 * The input of a run: what a file says, with single values laid over it. `topic=bees` is text, `limit=3` and
 * `tags=["a"]` are JSON where the value is JSON, and `user.name=ann` leads inside. Undefined where nothing was given.
 */
export function inputOf(pairs: readonly string[], file?: Json): Json | undefined {
  if (pairs.length === 0) return file;
  if (file !== undefined && !isObject(file))
    throw wrong('the input file holds no object, so single values cannot be laid over it', pairs[0] ?? '');
  const draft = copied(file ?? {});
  const before: string[][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const path = pair.slice(0, at).split('.');
    if (at <= 0 || path.includes(''))
      throw wrong(`"${at < 0 ? pair : pair.slice(0, at + 1)}" is no key=value`, pair);
    refuseReplacing(path, before, pair);
    before.push(path);
    const value = readValue(pair.slice(at + 1));
    if (!isWhole(value)) throw wrong(`--input ${path.join('.')} holds half a character`, pair);
    put(draft, path, value, pair);
  }
  return draft;
}

/** Of two values for one place somebody meant only one, and nobody can tell which. */
function refuseReplacing(path: readonly string[], before: readonly string[][], pair: string): void {
  const replaced = before.find((other) => path.every((step, index) => step === other[index]));
  if (replaced === undefined) return;
  const [whole, part] = [path.join('.'), replaced.join('.')];
  throw wrong(
    whole === part
      ? `--input ${whole} is given twice`
      : `--input ${whole} would replace ${part}, which is given as well`,
    pair,
  );
}

/** JSON where it is JSON and says the same number again, otherwise the text itself. */
export function readValue(text: string): Json {
  const parsed = parse(text);
  if (typeof parsed === 'number' && !(Number.isSafeInteger(parsed) || /[.eE]/.test(text))) return text;
  if (typeof parsed === 'number' && !Number.isFinite(parsed)) return text;
  return parsed === undefined ? text : parsed;
}

/** Whether no text in it has an escape such as \\ud800 without its other half. */
function isWhole(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWhole(inner as Json));
}

function put(draft: Draft, path: readonly string[], value: Json, pair: string): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    set(draft, key, value);
    return;
  }
  const there = own(draft, key);
  if (there !== undefined && !isObject(there))
    throw wrong(`--input leads into "${key}", which has a value of its own`, pair);
  const inner = copied(there ?? {});
  put(inner, rest, value, pair);
  set(draft, key, inner);
}

function copied(value: object): Draft {
  const copy: Draft = {};
  for (const [key, inner] of Object.entries(value)) set(copy, key, inner as Json);
  return copy;
}

/** Whatever the key is called, it is a member like any other. */
function set(draft: Draft, key: string, value: Json): void {
  Object.defineProperty(draft, key, { value, enumerable: true, configurable: true, writable: true });
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function wrong(message: string, pair: string): GleitzeitError {
  const hint = 'write --input topic=bees, --input limit=3, --input user.name=ann, or --input-file input.json';
  return new GleitzeitError('GLZ1012', message, { field: `input ${pair.split('=')[0] ?? ''}`.trim(), hint });
}
