import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { GleitzeitError } from '../../core/errors.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { givenUp } from '../correlate.ts';
import { marked } from '../stdio/descendants.ts';
import { LineReader } from '../stdio/line-reader.ts';
import { type GroupNotes, type ProcessGroup, processGroup } from '../stdio/process-group.ts';
import { StandardError } from '../stdio/stderr.ts';
import type { MemoryWatch } from './memory.ts';
import type { ProgramEnd, ProgramRun } from './program.ts';
import { progressIn } from './progress-line.ts';

export type LifeParts = {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly memory: MemoryWatch;
  readonly notes?: GroupNotes | undefined;
};

type Cut = 'too_much_output' | 'too_much_memory' | 'given_up';

/** A line of progress is short; what is longer is taken for something else. */
const MAX_PROGRESS = 64 * 1024;

/** One program from its start to its end. */
export class Life {
  readonly #run: ProgramRun;
  readonly #parts: LifeParts;
  readonly #child: ChildProcess;
  readonly #errors: StandardError;
  readonly #ended = Promise.withResolvers<ProgramEnd>();
  readonly #output: Buffer[] = [];
  readonly #undo: (() => void)[] = [];
  #group: ProcessGroup | null = null;
  #heard = 0;
  /** Why it was ended by us; the first reason counts. */
  #cut: Cut | null = null;

  /** Throws where the system does not even look at the command. */
  constructor(run: ProgramRun, given: Readonly<Record<string, string>>, cwd: string, parts: LifeParts) {
    const [program, ...args] = run.command;
    const { logger, clock, timers, memory, notes } = parts;
    const { env, mark } = run.group_only === true ? { env: given, mark: null } : marked(given);
    this.#run = run;
    this.#parts = parts;
    this.#errors = new StandardError({ logger, clock, program, secrets: run.secrets });
    const pipes = run.progress === 'fd3' ? 4 : 3;
    const stdio = Array.from({ length: pipes }, () => 'pipe' as const);
    // A group of its own, so that ending it ends everything it has started.
    this.#child = spawn(program, args, { cwd, env, stdio, detached: true, windowsHide: true });
    const { pid } = this.#child;
    if (pid !== undefined) {
      this.#group = processGroup(pid, { timers, ms: run.limits.grace_ms, mark, notes });
      const most = run.limits.max_memory;
      if (most !== null) this.#undo.push(memory.watch(pid, most, () => this.#end('too_much_memory')));
    }
    this.#listen();
  }

  get ended(): Promise<ProgramEnd> {
    return this.#ended.promise;
  }

  #listen(): void {
    const { signal, input } = this.#run;
    const [stdin, stdout, stderr] = this.#child.stdio;
    const abort = () => this.#end('given_up');
    signal.addEventListener('abort', abort);
    this.#undo.push(() => signal.removeEventListener('abort', abort));
    for (const stream of this.#child.stdio) stream?.on('error', () => {});
    stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#listenToErrors(stderr as Readable);
    const further = this.#child.stdio[3];
    if (further) (further as Readable).on('data', pusher(this.#progressReader(() => {})));
    this.#child.on('error', (error: NodeJS.ErrnoException) => this.#notStarted(error));
    this.#child.once('exit', () => this.#exited());
    this.#child.once('close', (code, name) => void this.#closed(code, name));
    // What a program does not read is its own affair: the pipe breaks, and its exit says more.
    if (this.#child.pid !== undefined) this.#child.stdin?.end(input);
    else stdin?.destroy();
  }

  #listenToErrors(stderr: Readable): void {
    if (this.#run.progress !== 'stderr') {
      stderr.on('data', (chunk: Buffer) => this.#errors.push(chunk));
      return;
    }
    const reader = this.#progressReader((line) => this.#errors.push(Buffer.concat([line, LINE_END])));
    stderr.on('data', pusher(reader));
    // What stands there without a line end.
    this.#undo.push(() => reader.push(LINE_END));
  }

  #progressReader(other: (line: Uint8Array) => void): LineReader {
    return new LineReader(MAX_PROGRESS, {
      message: (line) => {
        const progress = progressIn(line);
        if (progress === null) other(line);
        else this.#run.report?.(progress);
      },
      refused: (head) => other(head),
      broken: () => {},
    });
  }

  #take(chunk: Buffer): void {
    if (this.#cut !== null) return;
    this.#heard += chunk.length;
    if (this.#heard > this.#run.limits.max_output) {
      this.#end('too_much_output');
      return;
    }
    this.#output.push(chunk);
    this.#run.heard?.(chunk);
  }

  #end(cut: Cut): void {
    this.#cut ??= cut;
    void this.#group?.end();
  }

  /** Its last words may still be in the pipes. Whoever else holds these open is not waited for without end. */
  #exited(): void {
    this.#group?.leaderEnded();
    this.#undo.push(
      this.#parts.timers.after(this.#run.limits.grace_ms, () => {
        for (const stream of this.#child.stdio) stream?.destroy();
      }),
    );
  }

  #notStarted(error: NodeJS.ErrnoException): void {
    if (this.#child.pid !== undefined) return;
    this.#clear();
    this.#ended.reject(notStarted(this.#run.command[0], error));
  }

  async #closed(code: number | null, name: string | null): Promise<void> {
    if (this.#child.pid === undefined) return;
    this.#clear();
    const gone = this.#group?.end();
    // Whoever has left the group of one that ended by itself is ended too, and nobody waits for that.
    await (this.#cut === null ? this.#group?.emptied : gone);
    const stderr = this.#errors.end();
    if (this.#cut === 'given_up') this.#ended.reject(givenUp(this.#run.signal));
    else if (this.#cut !== null) this.#ended.resolve({ how: this.#cut, stderr });
    else if (code === null) this.#ended.resolve({ how: 'signal', signal: String(name), stderr });
    else this.#ended.resolve({ how: 'exit', code, stderr, output: Buffer.concat(this.#output) });
  }

  #clear(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }
}

const LINE_END = Buffer.from('\n');

function pusher(reader: LineReader): (chunk: Buffer) => void {
  return (chunk) => reader.push(chunk);
}

/** Arguments that are too long will be too long again. */
export function notStarted(program: string, error: NodeJS.ErrnoException): GleitzeitError {
  const { code, message } = error;
  if (code === 'E2BIG' || code === 'ERR_INVALID_ARG_VALUE') {
    const reason =
      code === 'E2BIG' ? 'its arguments are too long' : 'an argument or variable holds a zero byte';
    const hint = code === 'E2BIG' ? 'hand large values over on standard input' : undefined;
    return new GleitzeitError('GLZ2010', `${program} could not be started: ${reason}`, {
      reason,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const missing = code === 'ENOENT';
  const reason = missing ? 'there is no such program, or no such folder to run it in' : (code ?? message);
  return new GleitzeitError('GLZ2002', `${program} could not be started: ${reason}`, { reason });
}
