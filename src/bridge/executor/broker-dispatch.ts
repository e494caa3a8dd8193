import { type AttemptName, correlationId } from '../../core/attempt-name.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Arrivals, Dispatch, OutgoingCall, Sent } from '../../core/ports/dispatch.ts';
import type { Provider } from '../../core/ports/provider.ts';
import type { Line, RoomListener } from '../../core/ports/router.ts';
import { writeAgentTask } from '../messages/agent-task.ts';
import { writeControl } from '../messages/news.ts';
import { dispatchTopics } from '../topics.ts';
import { hear } from './hearing.ts';
import type { ExecutorParts } from './parts.ts';

/** What tasks wait in while the broker is away; the first that is called shows whether it is back. */
const line: Line = { kind: 'breaker', key: 'broker', fair: false };
/** So many of them come at once. */
const AT_ONCE = 500;
/** Where the broker took none and is not known to be away, it is asked again after this long. */
const AGAIN_MS = 1000;

/** Calls leave as messages, for bridges to make. */
export class BrokerDispatch implements Required<Omit<Dispatch, 'leaves'>> {
  readonly #parts: ExecutorParts;
  readonly #listeners = new Set<RoomListener>();
  readonly #unwatch: () => void;
  #ready: Promise<void> | null = null;
  #isReady = false;
  #cancelCall: (() => void) | null = null;
  #closed = false;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#unwatch = parts.broker.onState((state) => {
      if (state === 'up') this.#callSoon(0);
      else this.#parts.logger.warn('the broker is away: calls wait for it');
    });
  }

  async send(provider: Provider, call: OutgoingCall): Promise<Sent> {
    const { broker, observer } = this.#parts;
    if (!this.#isReady || broker.state === 'away') return this.#wait();
    const { bound_ms, message } = this.#written(provider, call);
    try {
      await broker.publish(this.#parts.options.topics.tasks, [message]);
    } catch (thrown) {
      return this.#refused(GleitzeitError.from(thrown));
    }
    observer.published(provider.id);
    this.#told('a call was published', provider, call);
    return { word: 'handed_over', bound_ms };
  }

  async listen(arrivals: Arrivals): Promise<() => Promise<void>> {
    await this.ready();
    return hear(this.#parts, arrivals);
  }

  abandon({ task_id, generation, attempt, provider }: AttemptName & { provider: string | null }): void {
    const { broker, logger, options } = this.#parts;
    const name = { task_id, generation, attempt };
    const failed = (thrown: unknown) => {
      const { message: error } = GleitzeitError.from(thrown);
      const correlation_id = correlationId(name);
      logger.debug('bridges could not be told to stop a call', { task_id, correlation_id, provider, error });
    };
    // Nobody is told later: what they find out by then is that nobody waits for the answer.
    if (!this.#isReady || broker.state === 'away') {
      failed('the broker is away');
      return;
    }
    const message = writeControl({ ...name, kind: 'cancel', reason: null });
    broker.publish(options.topics.control, [message]).catch(failed);
  }

  onRoom(listener: RoomListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when calls can leave; rejects where that could not be brought about now. */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare().finally(() => {
      this.#ready = null;
    });
    return this.#ready;
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#cancelCall?.();
  }

  async #prepare(): Promise<void> {
    if (this.#isReady) return;
    const { broker, options } = this.#parts;
    await broker.ensure(dispatchTopics(options.topics, options.groups, options.partitions));
    this.#isReady = true;
    this.#callSoon(0);
  }

  #written(provider: Provider, call: OutgoingCall) {
    const { name, clock, options } = this.#parts;
    const bound_ms = call.timeout_ms + options.wait_ms;
    const now_ms = clock.wall();
    const left_ms = Math.min(bound_ms, call.expires_in_ms ?? Number.POSITIVE_INFINITY);
    const sending = { engine: name, now_ms, expires_at_ms: now_ms + left_ms };
    return { bound_ms, message: writeAgentTask(provider, call, sending) };
  }

  /**
   * Where nobody knows whether it has left it waits, too: if it has, its answer is taken all the same, and if it leaves
   * again then in the same name.
   */
  #refused(error: GleitzeitError): Sent {
    if (error.code === 'GLZ3201') return this.#wait();
    if (error.class === 'store') throw error;
    return { word: 'failed', error: error.toRecord() };
  }

  #wait(): Sent {
    this.#parts.observer.waited();
    if (this.#parts.broker.state === 'up') this.#callSoon(AGAIN_MS);
    return { word: 'wait', line };
  }

  #callSoon(ms: number): void {
    if (this.#closed) return;
    if (ms === 0) this.#cancelCall?.();
    else if (this.#cancelCall !== null) return;
    this.#cancelCall = this.#parts.timers.after(ms, () => {
      this.#cancelCall = null;
      if (this.#isReady) void this.#call();
    });
  }

  /** All who wait, some at a time. */
  async #call(): Promise<void> {
    for (const listener of this.#listeners) {
      let more = 1;
      while (more > 0 && this.#parts.broker.state === 'up' && !this.#closed)
        ({ more } = await listener(line, AT_ONCE));
    }
  }

  #told(message: string, provider: Provider, call: OutgoingCall): void {
    const { task_id, method } = call;
    this.#parts.logger.debug(message, {
      ...{ task_id, agent: provider.id, correlation_id: correlationId(call) },
      ...{ protocol: provider.protocol, method },
    });
  }
}
