import { closeSync, openSync } from 'node:fs';
import { exits } from './exits.ts';

export type Stoppable = {
  reload(): Promise<unknown>;
  stop(): Promise<void>;
  /** Resolves where it has nothing to do any more, whoever asks. */
  readonly ended?: Promise<void>;
};

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Starts, and runs until it is asked to stop, or has come to its end. Asked a second time, it goes at once: what was accepted is safe in the store.
 * Signals are listened to from the beginning, since they may come as soon as somebody sees that it listens.
 */
export async function untilStopped(start: () => Promise<Stoppable>): Promise<void> {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let running: Stoppable | null = null;
  const inTerminal = hasTerminal();
  const onHangUp = () => {
    // Sent by a terminal that is closed, too: then there is nobody left who could stop it with Ctrl-C.
    if (inTerminal && !hasTerminal()) resolve();
    else void running?.reload();
  };
  const onStop = () => {
    for (const signal of stopSignals) {
      process.off(signal, onStop);
      process.once(signal, () => process.exit(exits.interrupted.status));
    }
    resolve();
  };
  for (const signal of stopSignals) process.on(signal, onStop);
  process.on('SIGHUP', onHangUp);
  try {
    running = await start();
    await (running.ended === undefined ? asked : Promise.race([asked, running.ended]));
    await running.stop();
  } finally {
    process.off('SIGHUP', onHangUp);
    for (const signal of stopSignals) process.removeAllListeners(signal);
  }
}

/** Whether the process belongs to a terminal that is still there. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
