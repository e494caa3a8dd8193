import type { Event } from '../../../src/core/events.ts';
import type { Outcome, RunOutcome } from '../../../src/engine/outcomes.ts';
import type { Asked } from '../world/client.ts';
import type { Nature } from '../world/nature.ts';
import type { EngineProcess } from '../world/process.ts';
import type { Shadow } from './step.ts';

type Ending = { readonly status: string; readonly error: string | null; readonly at: number };

const settled = ['completed', 'failed', 'cancelled', 'skipped'];

/** What callers are told about outcomes is what the store holds, or held while they waited. */
export class Told {
  readonly #nature: Nature;
  readonly #shadow: Shadow;
  readonly #endings = new Map<string, Ending[]>();

  constructor(nature: Nature, shadow: Shadow) {
    this.#nature = nature;
    this.#shadow = shadow;
  }

  /** Remembers how tasks and runs ended, one after the other. */
  note(event: Event): void {
    const key = event.task_id ?? event.workflow_id;
    const word = event.event.slice(event.event.indexOf(':') + 1);
    const status = word === 'reused' ? 'completed' : word;
    if (key === null || !settled.includes(status)) return;
    const error = 'error' in event.data ? JSON.stringify(event.data.error) : null;
    const endings = this.#endings.get(key) ?? [];
    endings.push({ status, error, at: this.#nature.now });
    this.#endings.set(key, endings);
  }

  /** When it last settled, in virtual time. */
  settledSince(key: string): number | undefined {
    return this.#endings.get(key)?.at(-1)?.at;
  }

  task(process: EngineProcess, task_id: string, outcome: Outcome | null, asked: Asked): void {
    const fail = (detail: string) =>
      this.#nature.fail(
        'waiters are told what the store holds',
        `${process.name} about ${task_id}: ${detail}`,
      );
    const pruned = this.#nature.weather.keep_ms < 1e9;
    if (outcome === null) {
      if (this.#shadow.tasks.has(task_id) && !pruned) fail('there is no such task');
      return;
    }
    if (!settled.includes(outcome.status)) {
      this.#checkPatience(process, asked, `${task_id} is ${outcome.status}`);
      return;
    }
    const endings = this.#endings.get(task_id) ?? [];
    if (!endings.some(({ status }) => status === outcome.status)) fail(`it is ${outcome.status}`);
    if (outcome.status === 'completed' && outcome.result !== this.#shadow.results.get(task_id) && !pruned) {
      fail(`its result is ${outcome.result}`);
    }
    const known = endings.some(({ error }) => error === JSON.stringify(outcome.error));
    if (outcome.status === 'failed' && !known) fail(`it failed with ${JSON.stringify(outcome.error)}`);
  }

  run(process: EngineProcess, workflow_id: string, outcome: RunOutcome | null, asked: Asked): void {
    if (outcome === null) return;
    const { status } = outcome;
    if (!settled.includes(status)) {
      this.#checkPatience(process, asked, `run ${workflow_id} is ${status}`);
      return;
    }
    if (this.#endings.get(workflow_id)?.some((ending) => ending.status === status)) return;
    this.#nature.fail(
      'waiters are told what the store holds',
      `${process.name}: run ${workflow_id} is ${status}`,
    );
  }

  /** Whoever would wait is not sent away before that. */
  #checkPatience(process: EngineProcess, { at, wait_ms }: Asked, what: string): void {
    if (process.state !== 'running' || this.#nature.now - at >= wait_ms * 0.97) return;
    this.#nature.fail(
      'waits last as long as asked',
      `${process.name} told ${what} after ${this.#nature.now - at} ms`,
    );
  }
}
