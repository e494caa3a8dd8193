import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock, Timers } from '../core/ports/clock.ts';
import { frameReader } from '../rpc/stdio/frame-reader.ts';
import { type Framing, frame } from '../rpc/stdio/framing.ts';
import type { Way } from './carry-out.ts';
import type { Plan } from './plan.ts';
import { Relay } from './relay.ts';
import { wrongText } from './wrong-text.ts';

export type StdioRelayParts = {
  readonly command: readonly [string, ...string[]];
  readonly framing: Framing | 'auto';
  readonly max_message: number;
  readonly plan: () => Plan;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly input: Readable;
  readonly output: Writable;
  /** Ends this process: with an exit code, or by a signal. */
  readonly end: (how: number | NodeJS.Signals) => void;
  /** For people. */
  readonly say: (text: string) => void;
};

export type StdioRelay = {
  /** Hands a signal on to the program, and ends when it does. */
  signal(name: NodeJS.Signals): void;
};

type Program = ChildProcessByStdio<Writable, Readable, null>;

/** The exit code shells give for a program that is not there. */
const NOT_FOUND = 127;
/** How long a program that is cut off may take to end. */
const GRACE_MS = 1000;

/**
 * Starts a program and stands between it and whoever speaks to it over standard input and output. Each message of the
 * program meets what is planned for it. A cut ends the program and this process, a reset kills both.
 */
export function relayStdio(parts: StdioRelayParts): StdioRelay {
  const { command, input } = parts;
  const [name, ...args] = command;
  const program = spawn(name, args, { stdio: ['pipe', 'pipe', 'inherit'], windowsHide: true });
  const relay = new Relay({
    ...parts,
    way: wayOf(parts, program),
    crowded: (is) => void (is ? program.stdout.pause() : program.stdout.resume()),
  });
  hear(parts, program, relay);
  program.on('error', (error) => {
    if (program.pid !== undefined) return;
    parts.say(`${name} could not be started: ${error.message}`);
    parts.end(NOT_FOUND);
  });
  program.stdin.on('error', () => {});
  input.pipe(program.stdin);
  // What it said last goes on before its end does.
  program.once('close', (code, signal) => void relay.rest().then(() => parts.end(signal ?? code ?? 0)));
  return {
    signal: (name) => {
      // Whoever asks it to end waits for no answer.
      relay.end();
      program.once('close', (code, signal) => parts.end(signal ?? code ?? 0));
      program.kill(name);
    },
  };
}

function hear({ framing, max_message, say, end }: StdioRelayParts, program: Program, relay: Relay): void {
  let written: Framing = framing === 'headers' ? 'headers' : 'lines';
  const framed = (text: string) => Buffer.from(frame(text, written));
  const reader = frameReader({
    framing,
    max_message,
    decided: (found) => {
      written = found;
    },
    sink: {
      message: (bytes) => {
        const text = Buffer.from(bytes).toString();
        relay.push({ bytes: framed(text), wrong: (how) => framed(wrongText(how, text)) });
      },
      refused: (_, reason) => say(`a message was dropped: it ${reason}`),
      broken: (reason) => {
        say(`the program sent ${reason}`);
        program.kill();
        end(1);
      },
    },
  });
  program.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
}

function wayOf(parts: StdioRelayParts, program: Program): Way {
  const { output, end, timers } = parts;
  // This process ends last: who is left without a parent may be left for long.
  const endWith = (signal: NodeJS.Signals, how: number | NodeJS.Signals) => {
    if (program.exitCode !== null || program.signalCode !== null) return end(how);
    program.once('exit', () => end(how));
    program.kill(signal);
    timers.after(GRACE_MS, () => program.kill('SIGKILL'));
  };
  return {
    begin: () => {},
    write: (piece) => new Promise((resolve) => output.write(piece, () => resolve())),
    done: () => {},
    cut: () => endWith('SIGTERM', 0),
    reset: () => endWith('SIGKILL', 'SIGKILL'),
  };
}
