import { GleitzeitError } from '../../core/errors.ts';
import { headOf } from '../../core/progress.ts';
import type { Message } from '../broker.ts';
import { writeTime } from './time.ts';

/** So many bytes of a message that could not be read are kept for people to look at. */
export const MOST_SHOWN = 64 * 1024;
/** So much of its key, and of the reason, which may name what stood in it: a letter that is too large is none. */
const MOST_WORDS = 4096;

export type Refused = {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
  /** Where it stood. */
  readonly place: string;
  readonly error: unknown;
  readonly now_ms: number;
};

/** What nobody could do anything with, and why. Keyed as it was, so that it can be put back in its place. */
export function writeDeadLetter({ topic, key: whole, value, place, error, now_ms }: Refused): Message {
  const { code, message } = GleitzeitError.from(error);
  const [key, reason] = [headOf(whole, MOST_WORDS), headOf(message, MOST_WORDS)];
  const cut = value.length > MOST_SHOWN;
  const shown = cut ? value.subarray(0, MOST_SHOWN) : value;
  const text = textIn(shown, cut);
  const content =
    text === null
      ? { value: Buffer.from(shown).toString('base64'), encoding: 'base64' }
      : { value: text, encoding: 'utf-8' };
  const size = {
    ...(cut ? { cut_from: value.length } : {}),
    ...(key === whole ? {} : { key_cut_from: whole.length }),
  };
  const written = { topic, key, place, ...content, ...size, reason, error_code: code };
  return { key, value: JSON.stringify({ ...written, timestamp: writeTime(now_ms) }) };
}

/** Null where it is no UTF-8. Where it was cut, its end may be half a character. */
function textIn(bytes: Uint8Array, cut: boolean): string | null {
  for (let less = 0; less < (cut ? 4 : 1); less++) {
    try {
      const end = bytes.length - less;
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end));
    } catch {
      // With one byte less, perhaps.
    }
  }
  return null;
}
