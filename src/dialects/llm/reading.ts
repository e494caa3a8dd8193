import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { textIn } from '../../core/members.ts';

export function countIn(value: unknown, key: string): number | undefined {
  const found = isObject(value) ? own(value, key) : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}

/** Tokens as they were counted; what was not counted is left out. */
export function usageOf(input: number | undefined, output: number | undefined) {
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(output === undefined ? {} : { output_tokens: output }),
  };
}

/** The words of `[{type: "text", text}]`, or of a plain text. */
export function wordsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (textIn(part, 'type') === 'text' ? (textIn(part, 'text') ?? '') : ''))
    .join('');
}

/** An object without the members that say nothing. */
export function given(members: Readonly<Record<string, Json | null | undefined>>): JsonObject {
  const said = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(said) as JsonObject;
}
