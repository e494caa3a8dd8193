import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import { givenUp } from '../rpc/correlate.ts';
import type { ProgramEnd, ProgramRun, Programs } from '../rpc/program/program.ts';
import { carryOut, Pauses, type Way } from './carry-out.ts';
import { type Fault, type Plan, planText } from './plan.ts';
import { wrongText } from './wrong-text.ts';

type Parts = {
  readonly timers: Timers;
  /** What happens to the next program, whose name is given. */
  readonly plan: (program: string) => Plan;
};

/** The exit code of trouble that may pass, as programs of mail have it (EX_TEMPFAIL). */
const PASSING = 75;
/** How long a program that is cut off may take to end. */
const GRACE_MS = 1000;

/**
 * Programs that are started for single calls: what one prints, and how it ends, is its answer, and meets what is planned for
 * it. A reset kills it at once, a cut ends it when it has begun to print.
 */
export function faultyPrograms(plain: Programs, { timers, plan }: Parts): Programs {
  return {
    packaged: (path) => plain.packaged(path),
    find: (names) => plain.find(names),
    run: async (run) => {
      if (run.clears === true) return plain.run(run);
      const planned = plan(run.command[0]);
      if (planText(planned) === null) return plain.run(run);
      const pauses = new Pauses(timers);
      const end = () => pauses.end();
      run.signal.addEventListener('abort', end);
      if (run.signal.aborted) end();
      try {
        return await new Meeting(plain, run, { plan: planned, pauses }).end();
      } finally {
        run.signal.removeEventListener('abort', end);
      }
    },
  };
}

type Settled = { readonly end: ProgramEnd } | { readonly thrown: unknown };

/** One program and the faults it meets. */
class Meeting {
  readonly #run: ProgramRun;
  readonly #plan: Plan;
  readonly #pauses: Pauses;
  readonly #killing = new AbortController();
  readonly #killed = new GleitzeitError('GLZ2002', 'a fault ended the program');
  readonly #first = Promise.withResolvers<Buffer>();
  readonly #settled: Promise<Settled>;

  constructor(plain: Programs, run: ProgramRun, { plan, pauses }: { plan: Plan; pauses: Pauses }) {
    this.#run = run;
    this.#plan = plan;
    this.#pauses = pauses;
    const grace_ms = Math.min(run.limits.grace_ms, graceOf(plan.fault));
    const running = plain.run({
      ...run,
      limits: { ...run.limits, grace_ms },
      signal: AbortSignal.any([run.signal, this.#killing.signal]),
      // What it says is held back until it is known what becomes of it.
      heard: (chunk) => this.#first.resolve(chunk),
    });
    this.#settled = running.then(
      (end) => ({ end }),
      (thrown: unknown) => ({ thrown }),
    );
  }

  async end(): Promise<ProgramEnd> {
    const { fault, wait_ms } = this.#plan;
    if (fault?.kind === 'reset' || fault?.kind === 'cut') return this.#die(fault.kind);
    const settled = await this.#settled;
    if ('thrown' in settled) throw settled.thrown;
    if (fault?.kind === 'half_open') await untilAborted(this.#run.signal);
    await this.#pauses.wait(wait_ms);
    return this.#told(settled.end);
  }

  /** Whatever it did meanwhile: nobody hears how it ended by itself. */
  async #die(how: 'reset' | 'cut'): Promise<ProgramEnd> {
    const begun = how === 'reset' ? Buffer.alloc(0) : await this.#begun();
    await this.#pauses.wait(this.#plan.wait_ms);
    await carryOut(this.#plan, { bytes: begun, wrong: () => begun }, this.#over());
    const settled = await this.#settled;
    if (this.#run.signal.aborted) throw givenUp(this.#run.signal);
    // It could not even be started.
    if ('thrown' in settled && settled.thrown !== this.#killed) throw settled.thrown;
    const stderr = 'end' in settled ? settled.end.stderr : '';
    return { how: 'signal', signal: how === 'reset' ? 'SIGKILL' : 'SIGTERM', stderr };
  }

  /** The first it prints; nothing where it ends without a word. */
  #begun(): Promise<Buffer> {
    return Promise.race([this.#first.promise, this.#settled.then(() => Buffer.alloc(0))]);
  }

  async #told(end: ProgramEnd): Promise<ProgramEnd> {
    let said = end;
    if (end.how === 'exit')
      await carryOut(
        this.#plan,
        {
          bytes: end.output,
          wrong: (how) => {
            const failed = how === 'server_error';
            const output = Buffer.from(failed ? '' : wrongText(how, end.output.toString()));
            said = failed
              ? { ...end, output, code: PASSING, stderr: 'an error in the place of the answer' }
              : { ...end, output };
            return output;
          },
        },
        this.#over(),
      );
    if (this.#run.signal.aborted) throw givenUp(this.#run.signal);
    return said;
  }

  #over(): { way: Way; pauses: Pauses } {
    const kill = () => this.#killing.abort(this.#killed);
    const way = {
      begin: () => {},
      write: async (piece: Uint8Array) => this.#run.heard?.(Buffer.from(piece)),
      done: () => {},
      cut: kill,
      reset: kill,
    };
    return { way, pauses: this.#pauses };
  }
}

function graceOf(fault: Fault | null): number {
  if (fault?.kind === 'reset') return 0;
  return fault?.kind === 'cut' ? GRACE_MS : Number.POSITIVE_INFINITY;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
