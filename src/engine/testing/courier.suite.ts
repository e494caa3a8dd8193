import type { Answer } from '../../core/answer.ts';
import type { AttemptName } from '../../core/attempt-name.ts';
import type { Arrivals, ArrivedAnswer, Dispatch, OutgoingCall, Sent } from '../../core/ports/dispatch.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { type Came, type Line, nobodyCame, type RoomListener } from '../../core/ports/router.ts';
import { done } from './provider.suite.ts';

/** A call on its way: the test says when, and whether, it has left. */
export type Parcel = OutgoingCall & {
  readonly provider: string;
  /** What `sealed` said when it left. */
  readonly content: ReturnType<OutgoingCall['sealed']>;
  say(sent: Sent): void;
  leave(bound_ms?: number): void;
  reject(thrown: unknown): void;
};

/** A dispatch in the hands of the test: all calls leave by it, and what comes back of them the test brings. */
export class Courier implements Dispatch {
  readonly parcels: Parcel[] = [];
  readonly abandoned: (AttemptName & { readonly provider: string | null })[] = [];
  readonly listening = new Set<Arrivals>();
  /** Says of each call at once that it has left. */
  atOnce: number | null = 60_000;
  /** Which providers' calls leave. */
  away: (provider: Provider) => boolean = () => true;
  /** Refuses to listen so often. */
  deaf = 0;
  stops: () => Promise<void> = async () => {};
  #room: RoomListener | null = null;

  leaves(provider: Provider): boolean {
    return this.away(provider);
  }

  send(provider: Provider, call: OutgoingCall): Promise<Sent> {
    if (!this.away(provider)) return provider.call(call);
    const { promise, resolve, reject } = Promise.withResolvers<Sent>();
    const content = call.sealed();
    const { task_id, workflow_id, generation, attempt, call_id, method, params, signal } = call;
    const { timeout_ms, expires_in_ms, secrets, traceparent, kept, response } = call;
    this.parcels.push({
      ...{ task_id, workflow_id, generation, attempt, call_id, method, params, signal, content },
      ...{ timeout_ms, expires_in_ms, secrets, traceparent, kept, response, provider: provider.id },
      sealed: () => content,
      say: resolve,
      leave: (bound_ms = 60_000) => resolve({ word: 'handed_over', bound_ms }),
      reject,
    });
    if (this.atOnce !== null) resolve({ word: 'handed_over', bound_ms: this.atOnce });
    return promise;
  }

  async listen(arrivals: Arrivals): Promise<() => Promise<void>> {
    if (this.deaf-- > 0) throw new Error('the broker is away');
    this.listening.add(arrivals);
    return async () => {
      this.listening.delete(arrivals);
      await this.stops();
    };
  }

  abandon(call: AttemptName & { readonly provider: string | null }): void {
    this.abandoned.push(call);
  }

  onRoom(listener: RoomListener): () => void {
    this.#room = listener;
    return () => {
      this.#room = null;
    };
  }

  /** Those who wait in a line may come. */
  call(line: Line, places: number): Promise<Came> {
    return this.#room?.(line, places) ?? Promise.resolve(nobodyCame);
  }

  get last(): Parcel {
    const parcel = this.parcels.at(-1);
    if (parcel === undefined) throw new Error('nothing has left');
    return parcel;
  }

  get arrivals(): Arrivals {
    const [arrivals] = this.listening;
    if (arrivals === undefined) throw new Error('nobody listens');
    return arrivals;
  }
}

export function nameOf({ task_id, generation, attempt }: AttemptName): AttemptName {
  return { task_id, generation, attempt };
}

/** An answer to a call, as it comes back. */
export function answerTo(
  parcel: Parcel,
  answer: Answer = done(),
  fields: Partial<ArrivedAnswer> = {},
): ArrivedAnswer {
  return { ...nameOf(parcel), provider: parcel.provider, answer, ...fields };
}
