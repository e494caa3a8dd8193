import { GleitzeitError } from './errors.ts';

/** The error of ours that a call throws; anything else is a failure of the test. */
export function thrownBy(call: () => unknown): GleitzeitError {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof GleitzeitError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
