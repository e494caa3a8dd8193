import { setTimeout as sleep } from 'node:timers/promises';
import { type Connected, type OpenOptions, openClient } from '../connect.ts';
import { ourError } from '../connect-errors.ts';
import { type ExitName, exits } from '../exits.ts';
import type { Invocation } from '../spec.ts';
import { stayForOthers } from '../staying.ts';
import { catchInterrupts, type Interrupts } from './interrupts.ts';
import { createPatience, type Patience } from './patience.ts';

/** What a command that follows something is given. */
export type Following = {
  readonly connected: Connected;
  readonly interrupts: Interrupts;
  readonly patience: Patience;
  /** Told where lines of the log should go while something is drawn. */
  readonly logTo: (say: (line: string) => void) => void;
};

export type Followed<Begun> = Omit<OpenOptions, 'log'> & {
  /** What is asked before there is something to follow. */
  readonly begin: (connected: Connected) => Promise<Begun>;
  /** For somebody who leaves before that is answered. */
  readonly unanswered: string;
  /** When the command began, by performance.now(), if something was done before. */
  readonly began?: number;
  readonly follow: (following: Following, begun: Begun) => Promise<ExitName | undefined>;
};

/** How long a connection may take to close, or still to be opened, when the command is over. */
const CLOSING_MS = 6000;
const UNANSWERED_MS = 500;

/** Connects, begins, follows, and closes everything whatever came of it. */
export async function whileConnected<Begun>(
  call: Invocation,
  { begin, unanswered, follow, began = performance.now(), ...options }: Followed<Begun>,
): Promise<ExitName | undefined> {
  let log = (line: string) => call.io.stderr.write(line);
  const logTo = (say: typeof log) => {
    log = say;
  };
  const interrupts = catchInterrupts(() => process.exit(exits.interrupted.status));
  const limit_ms = call.flags.milliseconds('timeout');
  const patience = createPatience({ interrupts, limit_ms, began });
  const opening = openClient(call, { ...options, log: (line) => log(line) });
  let closing_ms = UNANSWERED_MS;
  try {
    const start = opening.then(async (connected) => ({ connected, begun: await begin(connected) }));
    const started = await patience.waitFor(start);
    if (started === null) {
      call.io.say(unanswered);
      return 'interrupted';
    }
    closing_ms = CLOSING_MS;
    const { connected, begun } = started.value;
    const exit = await follow({ connected, interrupts, patience, logTo }, begun);
    const leaves = exit === 'interrupted' || exit === 'timeout';
    if (!leaves)
      await stayForOthers(call.io, { local: connected.local, interrupts, left_ms: patience.left_ms() });
    return exit;
  } catch (thrown) {
    throw ourError(thrown);
  } finally {
    interrupts.release();
    await close(opening, closing_ms);
  }
}

async function close(opening: Promise<Connected>, patience_ms: number): Promise<void> {
  const closed = new AbortController();
  const timeUp = sleep(patience_ms, null, { signal: closed.signal }).catch(() => {});
  const closing = opening.then((connected) => connected.close()).catch(() => {});
  await Promise.race([closing, timeUp]);
  closed.abort();
}
