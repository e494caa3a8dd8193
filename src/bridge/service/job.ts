import { GleitzeitError } from '../../core/errors.ts';
import type { Delivery } from '../broker.ts';
import type { AgentTask } from '../messages/agent-task.ts';

/** One call that was asked for, by as many messages as came of it. */
export class Job {
  readonly task: AgentTask;
  readonly identity: string;
  readonly #deliveries: Delivery[];
  readonly #over = new AbortController();
  /** Its call is being made, or was. */
  begun = false;

  constructor(task: AgentTask, delivery: Delivery) {
    this.task = task;
    this.identity = identityOf(task);
    this.#deliveries = [delivery];
  }

  /** Aborted where its answer is not wanted, or not from here. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get cancelled(): boolean {
    return reasonOf(this.over)?.code === 'GLZ2009';
  }

  /** Handed to others meanwhile, who will make the call. */
  get lost(): boolean {
    return this.#deliveries.every(({ lost }) => lost.aborted);
  }

  /** An earlier call may have been made in its name. */
  get redelivered(): boolean {
    return this.#deliveries.some(({ redelivered }) => redelivered);
  }

  get place(): string {
    return this.#deliveries[0]?.place ?? '';
  }

  join(delivery: Delivery): void {
    this.#deliveries.push(delivery);
  }

  cancel(reason: string | null): void {
    this.#over.abort(new GleitzeitError('GLZ2009', reason ?? 'cancelled'));
  }

  /** The bridge stops: others make the call. */
  leave(): void {
    this.#over.abort(new GleitzeitError('GLZ9002', 'the bridge stops'));
  }

  ack(): void {
    for (const delivery of this.#deliveries) delivery.ack();
  }
}

/**
 * What makes two messages one. An engine may publish the same attempt twice; another executor that asks again in the same name
 * writes another time on it, while what only came twice is the same in every letter.
 */
export function identityOf({ run_id, task_id, correlation_id, at_ms, ours }: AgentTask): string {
  return ours === null ? JSON.stringify([run_id, task_id, correlation_id, at_ms]) : correlation_id;
}

export function reasonOf(signal: AbortSignal): GleitzeitError | null {
  return signal.reason instanceof GleitzeitError ? signal.reason : null;
}
