import type { Event, EventName } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { MonitoringUpdate } from '../messages/monitoring.ts';

/** So many names of steps are known without asking the store. */
const MOST_KNOWN = 10_000;

/** What there is to tell of, and what tells how steps are called. */
export const monitoredEvents = [
  'task:waiting',
  'task:queued',
  'task:started',
  'task:completed',
  'task:reused',
  'task:failed',
  'task:cancelled',
  'task:skipped',
] as const satisfies readonly EventName[];

type Step = { readonly id: string; readonly name: string };

/** Puts events into the words of those who look on. */
export class Monitored {
  readonly #reads: Pick<StoreReads, 'task'>;
  readonly #steps = new Map<string, Step>();

  constructor(reads: Pick<StoreReads, 'task'>) {
    this.#reads = reads;
  }

  async updatesOf(events: readonly Event[]): Promise<MonitoringUpdate[]> {
    const updates: MonitoringUpdate[] = [];
    for (const event of events) {
      this.#learn(event);
      const told = toldOf(event);
      if (told === null || event.task_id === undefined) continue;
      const { task_id, workflow_id, at } = event;
      const { id, name } = await this.#step(task_id);
      const metadata = { event: event.event, task_id, ...told.metadata };
      const run_id = workflow_id ?? task_id;
      updates.push({ run_id, step_id: id, step_name: name, status: told.status, at_ms: at, metadata });
    }
    return updates;
  }

  #learn(event: Event): void {
    if (event.event !== 'task:waiting' && event.event !== 'task:queued') return;
    const { task_id, data } = event;
    if (task_id !== undefined && data.task !== undefined) this.#know(task_id, data.task);
  }

  async #step(task_id: string): Promise<Step> {
    const known = this.#steps.get(task_id);
    if (known !== undefined) return known;
    const found = await this.#reads.task(task_id);
    // It is gone with its run: then its id is all that is left of it.
    if (found === null) return { id: task_id, name: task_id };
    return this.#know(task_id, { id: found.task.id, name: found.body.spec.name });
  }

  #know(task_id: string, { id, name }: Step): Step {
    const step = { id, name };
    this.#steps.set(task_id, step);
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > MOST_KNOWN && oldest !== undefined) this.#steps.delete(oldest);
    return step;
  }
}

type Told = { readonly status: MonitoringUpdate['status']; readonly metadata: JsonObject };

/** Null for what changes nothing for them. A step that is skipped or cancelled will not complete: `event` says which it was. */
function toldOf(event: Event): Told | null {
  if (event.event === 'task:started') return { status: 'RUNNING', metadata: { attempt: event.data.attempt } };
  if (event.event === 'task:completed')
    return { status: 'COMPLETED', metadata: { attempt: event.data.attempt } };
  if (event.event === 'task:reused') return { status: 'COMPLETED', metadata: {} };
  if (event.event === 'task:cancelled') return { status: 'FAILED', metadata: { reason: event.data.reason } };
  if (event.event === 'task:skipped') return { status: 'FAILED', metadata: { because: event.data.because } };
  if (event.event !== 'task:failed') return null;
  const { attempt, error } = event.data;
  const { error_code } = error.data;
  return { status: 'FAILED', metadata: { attempt, error_code, error_message: error.message } };
}
