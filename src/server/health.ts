import type { ErrorCode } from '../core/error-codes.ts';
import { errorCodes } from '../core/error-codes.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { PlainAnswer } from '../rpc/listener/route.ts';

export type HealthParts = {
  readonly engine: { readonly trouble: GleitzeitError | null };
  readonly reads: Pick<StoreReads, 'cursor'>;
  readonly clock: Clock;
  readonly timers: Timers;
};

/** A store that says nothing for so long is not reachable. */
const PATIENCE_MS = 2000;
/** The answer is good for so long: anybody may ask, and must not keep the store busy by it. */
const GOOD_FOR_MS = 500;

type Finding = { readonly ready: true } | { readonly ready: false; readonly code: ErrorCode };

/** Whether work that is sent now would be taken and moved: the store answers, and took the last commit. */
export function readiness(parts: HealthParts): () => Promise<PlainAnswer> {
  let looking: Promise<Finding> | null = null;
  let since = 0;
  return async () => {
    if (looking === null || parts.clock.monotonic() - since > GOOD_FOR_MS) {
      since = parts.clock.monotonic();
      looking = look(parts);
    }
    const finding = await looking;
    if (finding.ready) return json(200, { status: 'ready' });
    const { code } = finding;
    return json(503, { status: 'unavailable', error_code: code, reason: errorCodes[code].name });
  };
}

/** The process runs and takes work; whether it gets far is for `/ready` to say. */
export function alive(): PlainAnswer {
  return json(200, { status: 'ok' });
}

async function look({ engine, reads, timers }: HealthParts): Promise<Finding> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Finding>();
  const cancel = timers.after(PATIENCE_MS, () => resolve({ ready: false, code: 'GLZ3001' }));
  const asked = reads.cursor().then<Finding, Finding>(
    () => ({ ready: true }),
    // The message stays here: it may name hosts and files, and everybody may ask.
    (thrown: unknown) => ({ ready: false, code: GleitzeitError.from(thrown).code }),
  );
  const found = await Promise.race([asked, timeUp]);
  cancel();
  const { trouble } = engine;
  return found.ready && trouble !== null ? { ready: false, code: trouble.code } : found;
}

function json(status: number, body: object): PlainAnswer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
