import type { Json, JsonObject } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';

const TOKEN_REFERENCE = '${workflow.input.bot_token}';

/** What was said, without the token: as a template, and what its references lead to. */
export type Said = { readonly template: Json; readonly input: JsonObject };

/**
 * A value as a template that comes to the same value again. A text that looks like a reference is none; wherever the token
 * is repeated there is one, to where the token is sealed.
 */
export function withoutToken(value: Json, token: string): Said {
  const repeated: string[] = [];
  const template = templateOf(value, (text) => textWithout(text, token, repeated));
  const input = { bot_token: token };
  return { template, input: repeated.length === 0 ? input : { ...input, repeated } };
}

/** A value as a template that comes to the same value again, where none of its texts is a reference. */
export function escapedTexts(value: JsonObject): JsonObject {
  return templateOf(value, escaped) as JsonObject;
}

function templateOf(value: Json, write: (text: string) => string): Json {
  if (typeof value === 'string') return write(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => templateOf(item, write));
  const members = Object.entries(value).map(([key, item]) => [key, templateOf(item, write)]);
  return Object.fromEntries(members) as JsonObject;
}

/** A `$` before the token is sealed with it: left where it is, it would escape the reference. */
function textWithout(text: string, token: string, repeated: string[]): string {
  const pieces = text.split(token);
  const last = pieces.pop() ?? '';
  const written = pieces.map((piece) => {
    const kept = piece.replace(/\$+$/, '');
    if (kept.length === piece.length) return escaped(kept) + TOKEN_REFERENCE;
    const index = repeated.push(piece.slice(kept.length) + token) - 1;
    return `${escaped(kept)}\${workflow.input.repeated[${index}]}`;
  });
  return written.join('') + escaped(last);
}

function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** JSON pointers of the texts in which the token stands. */
export function pointersTo(value: Json, token: string, at = ''): readonly string[] {
  if (typeof value === 'string') return value.includes(token) ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => pointersTo(item as Json, token, child(at, key)));
}
