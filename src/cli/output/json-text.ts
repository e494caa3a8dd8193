import { cleanText, escapeJson } from './clean.ts';

/** A value for people: text as it is, anything else as indented JSON. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return cleanText(value);
  return JSON.stringify(value, null, 2).split('\n').map(escapeJson).join('\n');
}
