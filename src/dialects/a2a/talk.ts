import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { MAX_PAYLOAD } from '../../core/limits.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { unusable } from '../../rpc/correlate.ts';
import { callHeaders } from '../agent/headers.ts';
import type { Translation } from '../agent/translation.ts';
import { type Ask, ask, type ExchangeParts, type Reply } from './exchange.ts';
import { answerIn, type Heard } from './heard.ts';
import { type Kept, keptJson } from './kept.ts';
import type { Route } from './negotiation.ts';
import { aboutOther, isOfOther, mixedUp } from './whose.ts';
import { assembled } from './wire/assemble.ts';
import { agentError } from './wire/errors.ts';
import type { Message, Oddities, Said, Task } from './wire/model.ts';
import { hasOutput } from './wire/output.ts';
import { textOf } from './wire/parts.ts';
import { cancelRequest, getRequest, type WireRequest } from './wire/requests.ts';
import { readSaid } from './wire/said.ts';
import { stateWord } from './wire/states.ts';
import { type Judged, judgeMessage, judgeTask, type Verdict } from './wire/verdict.ts';

export type TalkParts = {
  readonly exchange: ExchangeParts;
  /** Sends what begins or continues a conversation: by itself, or together with others in a batch. */
  readonly post: typeof ask;
  readonly history_length: number | undefined;
  /** Whether a protocol's method is called, whose result has a shape of its own. */
  readonly structured: boolean;
  readonly report: ProviderCall['report'];
  readonly translation: Translation;
};

type Asking = { readonly stream?: boolean; readonly signal?: AbortSignal; readonly named?: string };

/** So much of a task may come in pieces; more than a result could not be kept. */
const MOST_PIECES = 2 * MAX_PAYLOAD;

/** Everything that is said for one call, and what is known of the agent's task by it. */
export class Talk {
  readonly #parts: TalkParts;
  readonly #call: ProviderCall;
  readonly signal: AbortSignal;
  #route: Route | null = null;
  #requests = 0;
  #task: Task | null = null;
  #message: Message | null = null;
  #raw: Json = null;
  #answered: string | null = null;
  #pieces = 0;
  #words = 0;
  #kept: Kept | null;
  #pending: Partial<Kept> | null = null;
  #keeping: Promise<unknown> = Promise.resolve();
  #lost = false;

  constructor(parts: TalkParts, call: ProviderCall, signal: AbortSignal, kept: Kept | null) {
    this.#parts = parts;
    this.#call = call;
    this.signal = signal;
    this.#kept = kept;
  }

  /** How the agent is spoken to from here on. */
  use(route: Route): void {
    this.#route = route;
  }

  get route(): Route {
    if (this.#route === null) throw new GleitzeitError('GLZ9001', 'an agent was asked before it was found');
    return this.#route;
  }

  get routed(): boolean {
    return this.#route !== null;
  }

  /** Where the conversation stands, for whoever goes on with it; null before the agent has named its task. */
  get kept(): Kept | null {
    return this.#kept;
  }

  /** Words of the agent so far, to notice whether there were more. */
  get words(): number {
    return this.#words;
  }

  /** The question is about to be answered. Agents repeat it, before they have looked at the answer: that says nothing new. */
  answering(): void {
    this.#answered = this.#task === null ? null : questionIn(this.#task);
    this.#task = null;
  }

  /** It has been repeated for too long: it is asked again. */
  believe(): void {
    this.#answered = null;
  }

  get translation(): Translation {
    return this.#parts.translation;
  }

  /** A request that begins or continues the conversation; `named` is its id and what repeats of it are recognised by. */
  post(request: WireRequest, named: string, stream: boolean): Promise<Reply> {
    return this.#parts.post(this.#parts.exchange, this.route.endpoint, this.#ask(request, { stream, named }));
  }

  /** A request about the task. */
  ask(request: WireRequest, asking: Asking = {}): Promise<Reply> {
    return ask(this.#parts.exchange, this.route.endpoint, this.#ask(request, asking));
  }

  #ask(request: WireRequest, { stream = false, signal = this.signal, named }: Asking): Ask {
    const id = named ?? `${this.#call.call_id}/${++this.#requests}`;
    const { 'idempotency-key': _, ...about } = callHeaders(this.#call);
    const repeatable = named === undefined ? {} : { 'idempotency-key': named };
    return { ...request, id, stream, signal, about: { ...about, ...repeatable } };
  }

  /** The task as it is now. */
  async get(): Promise<void> {
    const { task_id = '' } = this.#kept ?? {};
    const request = getRequest(this.route.endpoint, task_id, this.#parts.history_length);
    await this.take(await this.ask(request), task_id);
    if (this.#kept !== null) this.#kept = { ...this.#kept, troubles: 0 };
  }

  /** All of a reply, or of a stream what comes until there is nothing more to wait for. `about` is the task that was asked for. */
  async take(reply: Reply, about = ''): Promise<void> {
    if ('answer' in reply) {
      this.#hear(reply.answer, (said) => {
        if (isOfOther(said, about)) throw mixedUp(said, about, reply.answer.said);
        return true;
      });
      return;
    }
    for await (const event of reply.events) {
      const ours = about === '' ? (this.#task?.id ?? '') : about;
      this.#hear(event, (said, odd) => {
        const strange = isOfOther(said, ours);
        if (strange) odd.push(`has an event that ${aboutOther(said, ours)}`);
        return !strange;
      });
      if (this.verdict()?.is !== 'open') break;
      if (this.gone) throw new GleitzeitError('GLZ3011', 'the task was taken from this engine');
    }
  }

  #hear(heard: Heard, isOurs: (said: Said, odd: Oddities) => boolean): void {
    const { translation } = this.#parts;
    const odd: Oddities = [];
    const { said, raw, ours } = translation.response(
      () => heard.said,
      () => {
        const answer = answerIn(heard);
        if ('error' in answer) throw agentError(answer);
        const said = readSaid(answer.result, odd);
        return { said, raw: answer.result, ours: isOurs(said, odd) };
      },
    );
    translation.odd(odd);
    if (!ours) return;
    this.#words++;
    this.#raw = raw;
    this.#tell(said);
  }

  /** The body of a call back. It may be about another task, or nothing that can be understood: then it says nothing. */
  notified(body: Json): boolean {
    const said = readable(body);
    if (said === null) return true;
    if (isOfOther(said, this.#kept?.task_id ?? '')) return false;
    this.#raw = body;
    this.#tell(said);
    return true;
  }

  #tell(said: Said): void {
    if (said.is === 'message') {
      this.#message = said.message;
      return;
    }
    this.#bound(said);
    this.#task = assembled(this.#task, said);
    this.#report(said);
    this.#know(this.#task);
  }

  #bound(said: Said): void {
    if (said.is === 'task') this.#pieces = 0;
    else this.#pieces += JSON.stringify(said).length;
    if (this.#pieces > MOST_PIECES) throw unusable(`comes in pieces of more than ${MOST_PIECES} characters`);
  }

  #report(said: Exclude<Said, { is: 'message' }>): void {
    const { report } = this.#parts;
    if (report === undefined || said.is === 'task') return;
    const text = textOf(said.is === 'artifact' ? said.artifact.parts : (said.status.message?.parts ?? []));
    if (text !== undefined) report(said.is === 'artifact' ? { text } : { message: text });
  }

  /** As soon as the agent has named its task, whoever comes after us has to know it. */
  #know({ id, context_id, status }: Task): void {
    const before = this.#kept;
    if (id === '') return;
    const version = this.route.endpoint.version;
    const kept = before ?? { answers: 0, looks: 0, troubles: 0, waits: null };
    const context = context_id ?? before?.context_id ?? null;
    this.#kept = { ...kept, ...this.#pending, version, task_id: id, context_id: context };
    const known = before?.task_id === id;
    if ((known && this.#pending === null) || this.verdict()?.is !== 'open') return;
    if (!known)
      this.#parts.report?.({ message: `the agent works on it as its task ${id} (${stateWord(status)})` });
    this.#pending = null;
    this.keep({});
  }

  /** Where the conversation will stand when the agent has answered: before that, what was said may not have arrived. */
  onceHeard(change: Partial<Kept>): void {
    this.#pending = change;
  }

  /** Notes how far the conversation has come; nobody waits for it but the end of the call. */
  keep(change: Partial<Kept>): void {
    if (this.#kept === null) return;
    this.#kept = { ...this.#kept, ...change };
    const keeping = this.#call.keep?.(keptJson(this.#kept));
    if (keeping === undefined) return;
    this.#keeping = keeping.then((ours) => {
      this.#lost ||= !ours;
    });
  }

  /** What was kept is on record. */
  async settled(): Promise<void> {
    await this.#keeping;
  }

  /** The task is no longer ours: whatever is kept would be lost. */
  get gone(): boolean {
    return this.#lost;
  }

  /** It ended well, by a stream that brought nothing of what it came to. */
  get bare(): boolean {
    return this.#message === null && this.#task?.status.state === 'completed' && !hasOutput(this.#task);
  }

  /** What the task comes to by what is known; null where nothing is. */
  verdict(odd: Oddities = []): Verdict | null {
    const judged = { raw: this.#raw, structured: this.#parts.structured, odd };
    const task = this.#task === null ? null : this.#judge(this.#task, judged);
    // Some agents open a task and then answer with a message: it is what they have to say.
    if (this.#message === null || (task !== null && task.is !== 'open')) return task;
    return judgeMessage(this.#message, judged);
  }

  #judge(task: Task, judged: Judged): Verdict {
    const verdict = judgeTask(task, judged);
    return verdict.is === 'asks' && questionIn(task) === this.#answered ? { is: 'open' } : verdict;
  }

  /** Tells the agent that nobody wants its work any more. It may be done by then, or have forgotten it: both are fine. */
  async cancel(signal: AbortSignal): Promise<void> {
    const { task_id = '' } = this.#kept ?? {};
    await this.ask(cancelRequest(this.route.endpoint, task_id), { signal });
  }
}

function readable(body: Json): Said | null {
  try {
    return readSaid(body, []);
  } catch {
    return null;
  }
}

/** What tells one question of an agent from the next. */
function questionIn({ status: { said, message, timestamp } }: Task): string {
  return JSON.stringify([said, message, timestamp]);
}
