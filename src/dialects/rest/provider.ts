import type { Answer, Usage } from '../../core/answer.ts';
import { callWith } from '../../core/call-with.ts';
import { type ErrorRecord, GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Probe, Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { HttpResponse, WebClient } from '../../rpc/http/client.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import type { Pointer } from '../mapping/pointer.ts';
import type { Shape } from '../mapping/result.ts';
import type { Scope } from '../mapping/template.ts';
import { type Limit, within } from '../timeout.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { type Got, type Reading, readAnswer, scopeOfAnswer } from './answer.ts';
import { createJobs, type Jobs } from './jobs.ts';
import type { Pages } from './pages.ts';
import type { Poll } from './poll.ts';
import { type Asked, type MakeRequest, scopeOf } from './request.ts';

/** A method of the protocol, ready to be called. */
export type Operation = {
  /** A request that is made first, where the task has what it is for. */
  readonly before: { readonly wanted: (scope: Scope) => boolean; readonly make: MakeRequest } | null;
  readonly make: MakeRequest;
  readonly reading: Reading;
  readonly max_bytes: number;
  /** Null where the whole answer is the result. */
  readonly shape: Shape | null;
  readonly usage: UsagePlaces | null;
  readonly pages: Pages | null;
  readonly poll: Poll | null;
};

export type UsagePlaces = { readonly input_tokens: Pointer | null; readonly output_tokens: Pointer | null };

export type RestParts = {
  readonly id: string;
  readonly protocol: string;
  readonly client: WebClient;
  readonly operations: ReadonlyMap<string, Operation>;
  /** Sent with every request. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The header that names a call where something is changed; null for none. */
  readonly idempotency: string | null;
  /** For each request: a job that is polled may take longer. */
  readonly timeout: Limit | null;
  readonly secrets: () => readonly string[];
  readonly timers: Timers;
  readonly probe: Probe;
};

/** Any HTTP API, as a mapping says. */
export function restProvider(parts: RestParts): Provider {
  const { id, protocol, client, operations, probe } = parts;
  const polls = new CallsUnderWay();
  return {
    id,
    protocol,
    hasMethod: (method) => operations.has(method),
    call: (call) => answer(parts, call, polls),
    probe,
    close: async () => {
      await polls.close();
      await client.close();
    },
  };
}

async function answer(parts: RestParts, call: ProviderCall, polls: CallsUnderWay): Promise<Answer> {
  try {
    const operation = parts.operations.get(call.method);
    if (operation === undefined)
      throw new GleitzeitError('GLZ2010', `the mapping of ${parts.id} has no method "${call.method}"`);
    if (operation.poll === null) return await carryOut(parts, call, operation);
    // Between two questions there is no request that the end of the client would end.
    return await polls.make(call.signal, null, (signal) =>
      carryOut(parts, callWith(call, { signal }), operation),
    );
  } catch (thrown) {
    return failed(parts, GleitzeitError.from(thrown, 'GLZ2001').toRecord());
  }
}

async function carryOut(parts: RestParts, call: ProviderCall, operation: Operation): Promise<Answer> {
  const { before, make, pages, poll, shape, usage } = operation;
  const { call_id } = call;
  const fetch = (asked: Asked, name: string | null) => exchange(parts, call, { operation, asked, name });
  const begun = scopeOf(call);
  const jobs = poll === null ? null : jobsOf(parts, call, { operation, poll });
  const resumed = await jobs?.resume(begun);
  if (resumed !== undefined && resumed !== null) return resumed;
  const first = before?.wanted(begun) === true ? await fetch(before.make(begun), `${call_id}.before`) : null;
  const scope = first === null ? begun : { ...begun, before: first.value };
  if (pages !== null) {
    let page = 0;
    const fetchPage = (asked: Asked) => fetch(asked, ++page === 1 ? call_id : `${call_id}.${page}`);
    const { got, count, complete } = await pages.gather(make, scope, fetchPage);
    return done(operation, got, { ...scope, pages: { count, complete } });
  }
  const asked = make(scope);
  const submitted = await fetch(asked, call_id);
  if (jobs !== null) return jobs.finish({ submitted, scope }, asked);
  if (shape === null && usage === null) return { word: 'done', result: JSON.stringify(submitted.value) };
  return done(operation, submitted, scope);
}

type Polling = { readonly operation: Operation; readonly poll: Poll };

function jobsOf(parts: RestParts, call: ProviderCall, { operation, poll }: Polling): Jobs {
  const { secrets, timers } = parts;
  return createJobs(call, {
    poll,
    timers,
    secrets,
    fetch: (asked) => exchange(parts, call, { operation, asked, name: null }),
    answer: (got, { scope, submitted }) => done(operation, got, { ...scope, submitted: submitted.value }),
  });
}

function done({ shape, usage }: Operation, got: Got, scope: Scope): Answer {
  const made = shape === null ? got.value : shape.fill({ ...scope, ...scopeOfAnswer(got) });
  if (made === undefined)
    throw new GleitzeitError('GLZ2005', 'the answer has nothing where the mapping looks for the result', {
      hint: 'compare result in the configuration with what the service answers',
    });
  const result = JSON.stringify(made);
  return usage === null
    ? { word: 'done', result }
    : { word: 'done', result, usage: usageOf(usage, got.value) };
}

function usageOf({ input_tokens, output_tokens }: UsagePlaces, value: Json): Usage {
  const [read, wrote] = [input_tokens?.(value), output_tokens?.(value)];
  return {
    ...(typeof read === 'number' ? { input_tokens: read } : {}),
    ...(typeof wrote === 'number' ? { output_tokens: wrote } : {}),
  };
}

type Exchange = {
  readonly operation: Operation;
  readonly asked: Asked;
  /** What the service knows it by when it comes again; null where it is another one each time. */
  readonly name: string | null;
};

async function exchange(parts: RestParts, call: ProviderCall, made: Exchange): Promise<Got> {
  const { timeout } = parts;
  const { operation, asked } = made;
  const response = await (timeout === null
    ? send(parts, call, { ...made, signal: call.signal })
    : within(timeout, call.signal, (signal) => send(parts, call, { ...made, signal })));
  return readAnswer(response, `${asked.url.origin}${asked.url.pathname}`, operation.reading);
}

function send(
  { client, headers, idempotency }: RestParts,
  { traceparent }: ProviderCall,
  { operation, asked, name, signal }: Exchange & { readonly signal: AbortSignal },
): Promise<HttpResponse> {
  const sent: Record<string, string> = { ...asked.defaults, ...headers(), ...asked.headers };
  if (traceparent !== undefined) sent['traceparent'] = traceparent;
  const changes = asked.method !== 'GET' && asked.method !== 'HEAD';
  if (idempotency !== null && name !== null && changes) sent[idempotency] = name;
  const { method, url, body, foreign } = asked;
  return client.request({
    method,
    url,
    body,
    foreign,
    headers: sent,
    signal,
    max_bytes: operation.max_bytes,
  });
}

function failed({ secrets }: RestParts, error: ErrorRecord): Answer {
  return { word: 'failed', error: withoutSecrets(error, secrets()) };
}
