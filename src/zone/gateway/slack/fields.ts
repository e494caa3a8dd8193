import { MAX_NAME } from '../../../core/limits.ts';

/** A short text, such as an id: undefined for anything else. */
export function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME ? value : undefined;
}
