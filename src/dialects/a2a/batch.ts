import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import { INVALID_REQUEST, METHOD_NOT_FOUND } from '../../rpc/messages.ts';
import { patiently } from '../mcp/patiently.ts';
import type { Endpoint } from './endpoints.ts';
import { type Ask, ask, type ExchangeParts, inTime, post, type Reply, wholeAnswer } from './exchange.ts';
import type { Heard } from './heard.ts';

export type BatchSettings = { readonly size: number; readonly wait_ms: number };

type Waiting = { readonly asked: Ask; resolve(reply: Reply): void; reject(thrown: unknown): void };
type Batch = { readonly endpoint: Endpoint; readonly parts: ExchangeParts; readonly waiting: Waiting[] };
type Gathering = Batch & { readonly cancel: () => void };

/** Gathers requests that come at about the same time into batches of JSON-RPC. An agent that knows none gets them one by one. */
export function batching({ size, wait_ms }: BatchSettings): typeof ask {
  const gathered = new Map<string, Gathering>();
  let understood = true;

  async function leave(key: string): Promise<void> {
    const batch = gathered.get(key);
    if (batch === undefined) return;
    gathered.delete(key);
    batch.cancel();
    const wanted = batch.waiting.filter(({ asked }) => !asked.signal.aborted);
    if (!(await sendBatch({ ...batch, waiting: wanted }))) {
      understood = false;
      for (const one of wanted) ask(batch.parts, batch.endpoint, one.asked).then(one.resolve, one.reject);
    }
  }

  return (parts, endpoint, asked) => {
    if (!understood || asked.stream) return ask(parts, endpoint, asked);
    const key = `${endpoint.version} ${endpoint.url.href}`;
    const batch = gathered.get(key) ?? {
      endpoint,
      parts,
      waiting: [],
      cancel: parts.timers.after(wait_ms, () => void leave(key)),
    };
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    batch.waiting.push({ asked, resolve, reject });
    gathered.set(key, batch);
    if (batch.waiting.length === size) void leave(key);
    return patiently(promise, asked.signal);
  };
}

/** Whether the agent knows what a batch is. */
async function sendBatch({ endpoint, parts, waiting }: Batch): Promise<boolean> {
  const [first, second] = waiting;
  if (first === undefined) return true;
  if (second === undefined) {
    ask(parts, endpoint, first.asked).then(first.resolve, first.reject);
    return true;
  }
  try {
    const heard = await exchanged(parts, endpoint, waiting);
    if (Array.isArray(heard.said)) handOut(heard, waiting);
    else if (knowsNoBatches(heard)) return false;
    // One word for all: a status that refuses, or an error of the whole request.
    else for (const { asked, resolve } of waiting) resolve({ answer: { ...heard, id: asked.id } });
  } catch (thrown) {
    for (const { reject } of waiting) reject(thrown);
  }
  return true;
}

async function exchanged(
  parts: ExchangeParts,
  endpoint: Endpoint,
  waiting: readonly Waiting[],
): Promise<Omit<Heard, 'id'>> {
  const messages = waiting.map(({ asked: { id, method, params } }) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  }));
  // Headers that name one call would be wrong for the others.
  const about = { 'x-correlation-id': String(messages[0]?.id) };
  const end = whenNobodyWaits(waiting);
  return inTime(parts, end, async (signal) => {
    const posting = { body: JSON.stringify(messages), stream: false, about, signal };
    return wholeAnswer(parts, await post(parts, endpoint, posting), endpoint.url);
  });
}

/** The request ends early only when all who wait for it have given up. */
function whenNobodyWaits(waiting: readonly Waiting[]): AbortSignal {
  const end = new AbortController();
  let open = waiting.length;
  for (const { asked } of waiting)
    asked.signal.addEventListener('abort', () => --open === 0 && end.abort(asked.signal.reason), {
      once: true,
    });
  return end.signal;
}

/** Answers come in any order; one that is missing is an answer that never came. */
function handOut(heard: Omit<Heard, 'id'>, waiting: readonly Waiting[]): void {
  const answers = new Map<string, Json>();
  for (const answer of heard.said as readonly Json[])
    if (isObject(answer)) answers.set(String(own(answer, 'id')), answer);
  for (const { asked, resolve, reject } of waiting) {
    const said = answers.get(asked.id);
    if (said === undefined)
      reject(new GleitzeitError('GLZ2002', 'the agent left a request of a batch unanswered'));
    else resolve({ answer: { ...heard, said, id: asked.id } });
  }
}

/** One error for a list means that nothing in it was looked at; and what is too much together may not be one by one. */
function knowsNoBatches({ said, http_status }: Omit<Heard, 'id'>): boolean {
  const error = isObject(said) ? own(said, 'error') : undefined;
  const code = isObject(error) ? Number(own(error, 'code')) : null;
  if (code === INVALID_REQUEST || code === METHOD_NOT_FOUND || code === -32602) return true;
  return http_status === 400 || http_status === 413 || http_status === 422;
}
