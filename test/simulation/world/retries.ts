import type { AcceptedRun } from '../../../src/core/writes.ts';
import type { RetryOptions } from '../../../src/engine/retry-run.ts';
import type { Dice } from './dice.ts';
import type { Fleet } from './fleet.ts';
import type { Line } from './line.ts';
import type { Nature } from './nature.ts';
import type { EngineProcess } from './process.ts';
import type { Submissions } from './submissions.ts';

type RetryParts = {
  readonly fleet: Fleet;
  readonly line: Line;
  readonly dice: Dice;
  readonly submissions: Submissions;
  readonly wait: (process: EngineProcess, runs: readonly AcceptedRun[]) => Promise<void>;
};

/** What may be said of a run that cannot be retried; trouble with the store besides. */
const refusals = ['GLZ1010', 'GLZ1011', 'GLZ1012', 'GLZ9002'];

/** Clients that have runs repeated. */
export class Retries {
  readonly #nature: Nature;
  readonly #parts: RetryParts;
  #keys = 0;

  constructor(nature: Nature, parts: RetryParts) {
    this.#nature = nature;
    this.#parts = parts;
  }

  /** With a key it is asked for until the answer is known; then it is the same one each time. */
  async act(): Promise<void> {
    const { dice, submissions } = this.#parts;
    const [first, ...others] = submissions.runIds.slice(-12);
    if (first === undefined) return;
    const workflow_id = dice.pick([first, ...others]);
    const options = this.#options();
    const made = new Set<string>();
    for (let tries = 0; tries < (options.idempotency_key === undefined ? 1 : 3); tries++) {
      const over = await this.#ask(workflow_id, options, made);
      if (made.size > 1) this.#nature.fail('idempotency', `retries of ${workflow_id}: ${[...made].join()}`);
      if (over) return;
      await this.#nature.scheduler.sleep(dice.between(1, 300));
    }
  }

  async #ask(workflow_id: string, options: RetryOptions, made: Set<string>): Promise<boolean> {
    const { fleet, line, dice, wait } = this.#parts;
    const process = await fleet.any(dice);
    const heard = (run: AcceptedRun) => {
      made.add(run.workflow_id ?? '');
      this.#accepted(workflow_id, run);
    };
    const reply = await line.call(
      process,
      `retry run ${workflow_id}`,
      (engine) => engine.retryRun(workflow_id, options),
      heard,
    );
    if (reply.kind === 'ok' && dice.chance(0.5)) await wait(process, [reply.value]);
    if (reply.kind !== 'error') return reply.kind === 'ok';
    const { code } = reply.error;
    if (code.startsWith('GLZ300')) return false;
    if (!refusals.includes(code)) this.#nature.fail('a retry is answered', `${workflow_id}: ${code}`);
    return true;
  }

  #accepted(workflow_id: string, run: AcceptedRun): void {
    const { data, weather } = this.#nature;
    const { submissions } = this.#parts;
    const row = data.runs.get(run.workflow_id ?? '');
    const pruned = weather.keep_ms < 1e9;
    if (row === undefined && !pruned) this.#nature.fail('submit returns after the commit', workflow_id);
    if (row !== undefined && row.retry_of !== workflow_id)
      this.#nature.fail('a retried run says whose it is', `${row.workflow_id} of ${workflow_id}`);
    if (run.workflow_id === null || submissions.runIds.includes(run.workflow_id)) return;
    submissions.runIds.push(run.workflow_id);
    submissions.taskIds.push(...run.tasks.map(([, task_id]) => task_id));
  }

  #options(): RetryOptions {
    const { dice } = this.#parts;
    return {
      ...(dice.chance(0.5) ? { from: `t${dice.whole(0, 4)}` } : {}),
      ...(dice.chance(0.3) ? { input: { word: `new${dice.whole(0, 99)}` } } : {}),
      ...(dice.chance(0.4) ? { idempotency_key: `retry-${++this.#keys}` } : {}),
    };
  }
}
