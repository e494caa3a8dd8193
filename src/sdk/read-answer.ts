import type { HttpAnswer } from './web.ts';

/** Larger than any answer that somebody means to get in one piece. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The text of an answer; null where it is larger, of which the rest is not read. */
export async function readAnswer(answer: Readable, max_bytes: number): Promise<string | null> {
  const { body } = answer;
  if (body === undefined || body === null) {
    const whole = await answer.text();
    return whole.length > max_bytes ? null : whole;
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return pieces.join('') + decoder.decode();
    size += value.byteLength;
    if (size > max_bytes) {
      // Nobody waits for the other side to hear of it.
      reader.cancel().catch(() => {});
      return null;
    }
    pieces.push(decoder.decode(value, { stream: true }));
  }
}

type Readable = Pick<HttpAnswer, 'body' | 'text'>;
