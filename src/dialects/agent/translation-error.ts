import type { ErrorCode } from '../../core/error-codes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';

export type Direction = 'request' | 'response';

/** What kind of thing could not be translated. A closed list: it is a label of a metric. */
export const translationTroubles = [
  'no_json',
  'envelope',
  'version',
  'id',
  'result',
  'shape',
  'status',
] as const;
export type TranslationTrouble = (typeof translationTroubles)[number];

export type Untranslated = {
  /** The dialect, by the name agents are registered with. */
  readonly protocol: string;
  readonly direction: Direction;
  readonly trouble: TranslationTrouble;
  /** What follows "the answer" or "the input". */
  readonly reason: string;
  readonly original_data: unknown;
};

/** So much of what was said is kept with the error; the log has more of it. */
const KEPT = 8 * 1024;

const codes: Readonly<Record<Direction, ErrorCode>> = { request: 'GLZ1005', response: 'GLZ2005' };
const subjects: Readonly<Record<Direction, string>> = { request: 'the input', response: 'the answer' };

/**
 * Something that cannot be said in the other language. An error of ours like any other, whose details say which dialect
 * and which direction, and keep what was there. Final: the same words would not be understood the next time either.
 */
export function translationError({ protocol, direction, trouble, reason, original_data }: Untranslated) {
  const words = `${subjects[direction]} ${reason}`;
  return new GleitzeitError(codes[direction], `${protocol}: ${words}`, {
    reason: words,
    hint:
      direction === 'response'
        ? 'compare what the agent answers with the protocol of its entry; the log has the whole answer'
        : 'change the input of the task',
    ...(direction === 'response' ? { fault: 'provider' as const } : {}),
    details: { protocol, direction, error_type: trouble, original_data: kept(original_data) },
  });
}

/** Which trouble a translation had; null for errors of any other kind. */
export function translationTrouble(error: GleitzeitError): TranslationTrouble | null {
  const { details } = error.details;
  const trouble = isObject(details) && 'original_data' in details ? own(details, 'error_type') : undefined;
  return translationTroubles.find((known) => known === trouble) ?? null;
}

/** In words that follow "the answer": why it cannot be read, where it is compressed; null where it is not. */
export function compression(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | null {
  const coding = String(headers['content-encoding'] ?? 'identity');
  return coding === 'identity'
    ? null
    : `is compressed (${coding.slice(0, 50)}), though nobody asked for that`;
}

/** Small data as it is, large data as the beginning of its text. */
function kept(data: unknown): Json {
  const text = typeof data === 'string' ? data : written(data);
  if (text.length > KEPT) return `${text.slice(0, KEPT)} … (${text.length} characters)`;
  return data === undefined ? null : (data as Json);
}

function written(data: unknown): string {
  return JSON.stringify(data) ?? '';
}
