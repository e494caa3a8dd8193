import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Connection } from './connection.ts';
import type { Gate } from './gate.ts';
import type { Member } from './member.ts';

/** Calls have deadlines of their own; where they take long, whoever waits for the provider to go hears why. */
const LONG_MS = 30_000;
/** A provider that does not close is not waited for longer; a program may need half of it before it is made to end. */
const CLOSE_MS = 10_000;

function stillBusy(connection: Connection, logger: Logger): void {
  const { id: provider, in_flight: calls } = connection.status();
  const message = `a provider that goes has not ended its calls after ${LONG_MS / 1000} s; it is waited for`;
  logger.warn(message, { provider, calls });
}

/** What these have of rates and do not use is for others, and for the next life of this process. */
export async function giveBack(gated: readonly { readonly gate: Gate }[]): Promise<void> {
  const gates = new Set(gated.map(({ gate }) => gate));
  await Promise.all([...gates].map((gate) => gate.tokens?.drop()));
}

/** Without `drain_ms` its calls are given as long as they take. */
export type DisconnectOptions = { readonly drain_ms?: number; readonly reason?: string | null };

export type Draining = {
  readonly over: Promise<void>;
  /** Ends its calls after that time, if they still run. */
  limit(ms: number): void;
};

/** It gets no more calls, and is closed when those it has are over. */
export function drain(member: Member, parts: { timers: Timers; logger: Logger }, over: () => void): Draining {
  const { connection } = member;
  connection.drain();
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const cancels = [parts.timers.after(LONG_MS, () => stillBusy(connection, parts.logger))];
  let waiting = true;
  const ended = Promise.race([connection.idle(), timeUp]).then(() => {
    waiting = false;
    for (const cancel of cancels) cancel();
  });
  return {
    over: ended
      .then(() => close(connection, parts))
      .finally(() => {
        member.dropGate();
        over();
      }),
    limit: (ms) => {
      if (waiting) cancels.push(parts.timers.after(ms, resolve));
    },
  };
}

async function close(
  connection: Connection,
  { timers, logger }: { timers: Timers; logger: Logger },
): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const cancel = timers.after(CLOSE_MS, resolve);
  try {
    await Promise.race([connection.close(), timeUp]);
  } catch (thrown) {
    const { message } = GleitzeitError.from(thrown);
    logger.warn('a provider could not be closed', { provider: connection.id, error: message });
  } finally {
    cancel();
  }
}
