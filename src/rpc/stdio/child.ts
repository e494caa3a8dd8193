import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { GleitzeitError } from '../../core/errors.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { marked } from './descendants.ts';
import { frameReader } from './frame-reader.ts';
import { type FrameSink, type Framing, frame } from './framing.ts';
import { type GroupNotes, type ProcessGroup, processGroup } from './process-group.ts';
import { StandardError } from './stderr.ts';

export type ChildOptions = {
  /** The program and its arguments, as they are: no shell reads them. */
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string | undefined;
  /** All of the child's environment but for its mark. */
  readonly env: Readonly<Record<string, string>>;
  /** Values in it that are kept out of logs and errors. */
  readonly secrets: readonly string[];
  readonly framing: Framing | 'auto';
  readonly limits: StdioLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly notes?: GroupNotes | undefined;
};

export type StdioLimits = {
  /** Bytes of one message of the child. */
  readonly max_message: number;
  /** Levels of nesting in it. */
  readonly max_depth: number;
  /** Bytes that may wait for a child that does not read. */
  readonly max_unread: number;
  /** How long a child that was asked to end may take before it is made to. */
  readonly grace_ms: number;
};

/** A pipe breaks just before a child ends, whose exit says more: so long that is waited for. */
const EXIT_MS = 250;

/** What the child says, and its end: told once, after its last message. */
export type ChildEvents = Pick<FrameSink, 'message' | 'refused'> & { ended(reason: GleitzeitError): void };

/** One life of a child process. */
export class Child {
  readonly #options: ChildOptions;
  readonly #events: ChildEvents;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #group: ProcessGroup | null = null;
  readonly #errors: StandardError;
  readonly #gone = Promise.withResolvers<void>();
  #framing: Framing;
  #trouble: string | null = null;
  #stopWaiting = () => {};
  #over = false;

  constructor(options: ChildOptions, events: ChildEvents) {
    const { command, cwd, secrets, framing, logger, clock, limits, timers, notes } = options;
    const { env, mark } = marked(options.env);
    const [program, ...args] = command;
    this.#options = options;
    this.#events = events;
    this.#framing = framing === 'headers' ? 'headers' : 'lines';
    this.#errors = new StandardError({ logger, clock, program, secrets });
    // A group of its own, so that a Ctrl-C meant for us does not end it before its calls have ended.
    this.#process = spawn(program, args, { cwd, env, stdio: 'pipe', detached: true, windowsHide: true });
    const { pid } = this.#process;
    if (pid !== undefined) this.#group = processGroup(pid, { timers, ms: limits.grace_ms, mark, notes });
    this.#listen();
  }

  /** Throws where the child does not read what it was sent before. */
  send(text: string): void {
    const { stdin } = this.#process;
    const { max_unread } = this.#options.limits;
    if (stdin.writableLength > max_unread)
      throw new GleitzeitError('GLZ2002', `${this.#name} does not read: ${max_unread} bytes wait for it`);
    stdin.write(frame(text, this.#framing));
  }

  /** Ends the child and everything it started. */
  async end(): Promise<void> {
    // First its group, which looks at what it has started while it is still there.
    const ended = this.#group?.end();
    this.#process.stdin.end();
    await Promise.all([ended, this.#gone.promise]);
  }

  get #name(): string {
    return this.#options.command[0];
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#process;
    const reader = frameReader({
      framing: this.#options.framing,
      max_message: this.#options.limits.max_message,
      sink: { ...this.#events, broken: (reason) => this.#break(reason) },
      decided: (framing) => {
        this.#framing = framing;
      },
    });
    stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    stderr.on('data', (chunk: Buffer) => this.#errors.push(chunk));
    for (const stream of [stdout, stderr]) stream.on('error', () => {});
    stdin.on('error', () => this.#cutOff('input'));
    stdout.once('close', () => this.#cutOff('output'));
    this.#process.on('error', (error: NodeJS.ErrnoException) => this.#notStarted(error));
    this.#process.once('exit', () => this.#exited());
    this.#process.once('close', (code, signal) => {
      this.#stopWaiting();
      if (!this.#over) this.#finish(this.#exitOf(code, signal));
    });
  }

  /** Nothing can be asked of it any more, or nothing heard: if it lives on all the same, it is given up. */
  #cutOff(pipe: 'input' | 'output'): void {
    const { exitCode, signalCode } = this.#process;
    if (this.#over || exitCode !== null || signalCode !== null) return;
    this.#stopWaiting();
    this.#stopWaiting = this.#options.timers.after(EXIT_MS, () => {
      const message = this.#trouble ?? `${this.#name} closed its standard ${pipe}`;
      const details = { exit_code: null, signal: null, stderr: this.#errors.end() };
      this.#finish(new GleitzeitError('GLZ2002', message, { reason: 'the process was ended', details }));
    });
  }

  /** Its last words may still be in the pipes. Whoever else holds these open is not waited for without end. */
  #exited(): void {
    this.#group?.leaderEnded();
    this.#stopWaiting();
    const { stdin, stdout, stderr } = this.#process;
    const { timers, limits } = this.#options;
    this.#stopWaiting = timers.after(limits.grace_ms, () => {
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    });
  }

  #break(reason: string): void {
    this.#trouble = `${this.#name} sent ${reason}`;
    void this.#group?.end();
  }

  #notStarted(error: NodeJS.ErrnoException): void {
    if (this.#process.pid !== undefined) return;
    const missing = error.code === 'ENOENT';
    const reason = missing ? 'there is no such program, or no such folder to run it in' : String(error.code);
    this.#finish(new GleitzeitError('GLZ2002', `${this.#name} could not be started: ${reason}`, { reason }));
  }

  #exitOf(code: number | null, signal: NodeJS.Signals | null): GleitzeitError {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    const tail = this.#errors.end();
    const message = this.#trouble ?? `${this.#name} ended ${how}`;
    return new GleitzeitError('GLZ2002', message, {
      reason: `the process ended ${how}`,
      details: { exit_code: code, signal, stderr: tail },
    });
  }

  #finish(reason: GleitzeitError): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopWaiting();
    this.#gone.resolve();
    this.#events.ended(reason);
  }
}
