import { GleitzeitError } from '../core/errors.ts';
import type { Invocation } from './spec.ts';

/** Everything on standard input, within `--timeout`; what is past `most` bytes is left there. */
export async function standardInput(
  { flags }: Pick<Invocation, 'flags'>,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const limit_ms = flags.milliseconds('timeout');
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = limit_ms === undefined ? undefined : setTimeout(() => reject(neverEnded(limit_ms)), limit_ms);
  const reading = readUpTo(most);
  // What is given up still ends, and nobody is there to hear how.
  reading.catch(() => {});
  try {
    return await Promise.race([reading, late]);
  } catch (thrown) {
    process.stdin.destroy();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

async function readUpTo(most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece);
    size += piece.length;
    if (size > most) break;
  }
  return Buffer.concat(pieces);
}

function neverEnded(ms: number): GleitzeitError {
  return new GleitzeitError('GLZ2003', `standard input did not end within ${ms / 1000} s`, {
    hint: 'nothing was started; end it with Ctrl-D, or allow more time with --timeout',
  });
}
