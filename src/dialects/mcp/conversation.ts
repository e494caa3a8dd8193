import { GleitzeitError } from '../../core/errors.ts';
import { type Json, type JsonObject, own } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { KeptJob } from '../kept-job.ts';
import { PROGRESS } from './carrier.ts';
import type { Connection } from './connection.ts';
import type { Inputs } from './inputs.ts';
import type { Note } from './said.ts';
import type { Watched } from './watch.ts';

/** How often a server may ask for input within one call. */
const ROUNDS = 16;

export type ConversationParts = {
  readonly connection: Connection;
  readonly inputs: Inputs;
  readonly timers: Timers;
  readonly secrets: () => readonly string[];
};

/** Everything that is said for one call. The request that is the call has its id, those that follow one of their own. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #call: ProviderCall;
  readonly #watched: Watched;
  /** What the server has made of the call, where that is a task. */
  readonly job: KeptJob;
  #said = 0;
  #named = false;

  constructor(parts: ConversationParts, call: ProviderCall, watched: Watched) {
    this.#parts = parts;
    this.#call = call;
    this.#watched = watched;
    this.job = new KeptJob(call, parts.secrets);
  }

  get signal(): AbortSignal {
    return this.#watched.signal;
  }

  get timers(): Timers {
    return this.#parts.timers;
  }

  get inputs(): Inputs {
    return this.#parts.inputs;
  }

  /** One request, whatever its result is. */
  ask(
    method: string,
    params: JsonObject,
    {
      headers = {},
      signal = this.signal,
    }: { headers?: Readonly<Record<string, string>>; signal?: AbortSignal } = {},
  ): Promise<JsonObject> {
    const { call_id, traceparent } = this.#call;
    const numbered = `${call_id}.${++this.#said}`;
    const id = this.#named || method.startsWith('tasks/') ? numbered : call_id;
    this.#named ||= id === call_id;
    const heard = (note: Note) => this.#hear(note);
    return this.#parts.connection.request({ id, method, params, signal, headers, traceparent, heard });
  }

  /** A request whose result may be that input is needed first: it is given, as often as that is asked for. */
  async askThrough(
    method: string,
    params: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<JsonObject> {
    let asked = params;
    for (let round = 0; round < ROUNDS; round++) {
      const result = await this.ask(method, asked, { headers });
      if (own(result, 'resultType') !== 'input_required') return result;
      this.touch();
      const requests = own(result, 'inputRequests') as Json | undefined;
      const state = own(result, 'requestState') as Json | undefined;
      asked = {
        ...params,
        ...(requests === undefined ? {} : { inputResponses: this.inputs.answers(requests) }),
        ...(state === undefined ? {} : { requestState: state }),
      };
    }
    throw new GleitzeitError('GLZ2010', `the server asked for input ${ROUNDS} times and was not content`);
  }

  touch(): void {
    this.#watched.touch();
  }

  report(message: string): void {
    this.#call.report?.({ message });
  }

  #hear({ method, params }: Note): void {
    this.touch();
    if (method !== PROGRESS) return;
    const [progress, total, message] = ['progress', 'total', 'message'].map((key) => own(params, key));
    this.#call.report?.({
      ...(typeof progress === 'number' ? { progress } : {}),
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    });
  }
}

/** A result that is whole. What else it may be has been seen to before. */
export function whole(result: JsonObject): JsonObject {
  const type = own(result, 'resultType') ?? 'complete';
  if (type === 'complete') return result;
  throw new GleitzeitError('GLZ2005', `the answer is of a type that is not known: ${JSON.stringify(type)}`);
}
