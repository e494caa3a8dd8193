import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { type Filled, filled, type Secrets } from '../filled.ts';

/** What a class is constructed with, its secrets put in when it is asked for. */
export type FilledOptions = Pick<Filled, 'values'> & { fill(): JsonObject };

export function filledOptions(options: JsonObject, secrets: Secrets, at: string): FilledOptions {
  const texts = filled(Object.fromEntries(textsIn(options, '')), secrets, at);
  return { values: texts.values, fill: () => withTexts(options, '', texts.fill()) as JsonObject };
}

/** Every text in it, by its JSON pointer. */
function textsIn(value: Json, at: string): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[at, value]];
  return entriesOf(value).flatMap(([key, inner]) => textsIn(inner, child(at, key)));
}

function withTexts(value: Json, at: string, texts: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') return texts[at] ?? value;
  const entries = entriesOf(value).map(
    ([key, inner]) => [key, withTexts(inner, child(at, key), texts)] as const,
  );
  if (Array.isArray(value)) return entries.map(([, inner]) => inner);
  return isObject(value) ? Object.fromEntries(entries) : value;
}

function entriesOf(value: Json): readonly (readonly [string, Json])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
