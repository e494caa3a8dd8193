import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Probe, Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { ResponseHeaders, WebClient, WebStream } from '../../rpc/http/client.ts';
import { retryAfter } from '../../rpc/http/retry-after.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import { answerLimits } from '../provider-type.ts';
import { reportWithout } from '../quiet-report.ts';
import type { Limit } from '../timeout.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { answerOf, brokenOff, refusalOf } from './answer.ts';
import { askOf, type Defaults, methods } from './ask.ts';
import { framesOf, parsed } from './frames.ts';
import type { Ask, Said, Wire } from './wire.ts';

export type LlmParts = {
  readonly id: string;
  readonly protocol: string;
  readonly web: WebClient;
  readonly wire: Wire;
  /** Where the API begins. */
  readonly url: URL;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly defaults: Defaults;
  readonly options: JsonObject;
  readonly stream: boolean;
  readonly timeout: Limit | null;
  readonly secrets: () => readonly string[];
  readonly clock: Clock;
  readonly probe: Probe;
};

/** A language model behind the API of its vendor. */
export function llmProvider(parts: LlmParts): Provider {
  const { id, protocol, web, probe } = parts;
  const calls = new CallsUnderWay();
  return {
    id,
    protocol,
    hasMethod: (method) => (methods as readonly string[]).includes(method),
    call: async (call) => {
      try {
        return await calls.make(call.signal, parts.timeout, (signal) => ask(parts, call, signal));
      } catch (thrown) {
        const error = GleitzeitError.from(thrown, 'GLZ2001').toRecord();
        return { word: 'failed', error: withoutSecrets(error, parts.secrets()) };
      }
    },
    probe,
    close: async () => {
      await calls.close();
      await web.close();
    },
  };
}

async function ask(parts: LlmParts, call: ProviderCall, signal: AbortSignal): Promise<Answer> {
  const plain = askOf(call.method, call.params, parts.defaults);
  // Calls of tools arrive in splinters that differ from API to API: with tools the whole answer is waited for.
  const stream = parts.stream && call.report !== undefined && plain.tools === null;
  const asked = { ...plain, stream };
  const answer = await parts.web.stream(requestFor(parts, asked, call, signal));
  try {
    const report = call.report && reportWithout(call.report, parts.secrets);
    const said = await readAnswer(parts, answer, { asked, report });
    return answerOf(said, asked.model);
  } finally {
    answer.cancel();
  }
}

function requestFor(
  { wire, url, headers, options }: LlmParts,
  asked: Ask,
  { call_id, traceparent }: ProviderCall,
  signal: AbortSignal,
) {
  return {
    method: 'POST',
    url: addressBelow(url, wire.path(asked)),
    headers: {
      'content-type': 'application/json',
      accept: asked.stream ? 'text/event-stream, application/x-ndjson, application/json' : 'application/json',
      'idempotency-key': call_id,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...wire.headers,
      ...headers(),
    },
    body: JSON.stringify({ ...wire.body(asked), ...options }),
    signal,
    max_bytes: answerLimits.max_message,
  };
}

/** What stands behind the address of a service, whose own query stays. */
export function addressBelow(url: URL, below: string): URL {
  const [path = '', query = ''] = below.split('?');
  const target = new URL(url);
  target.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  target.search = [url.search.slice(1), query].filter((one) => one !== '').join('&');
  return target;
}

type Asked = { readonly asked: Ask; readonly report: ProviderCall['report'] };

async function readAnswer(parts: LlmParts, answer: WebStream, { asked, report }: Asked): Promise<Said> {
  const { wire, clock } = parts;
  if (answer.status < 200 || answer.status > 299) {
    const text = await textOf(answer);
    throw refusalOf({
      status: answer.status,
      retry_after_ms: waitOf(answer.headers, clock),
      complaint: complaintIn(text, wire),
    });
  }
  // A service that does not stream answers as a whole, whatever it was asked.
  if (asked.stream && isStream(answer.headers)) return readPieces(wire, answer, report);
  const said = wire.read(parsed(await textOf(answer)));
  if (said !== null) return said;
  throw new GleitzeitError('GLZ2005', 'the service answered with something that its API does not have', {
    fault: 'provider',
  });
}

async function readPieces(wire: Wire, answer: WebStream, report: ProviderCall['report']): Promise<Said> {
  const pieces = wire.pieces();
  for await (const frame of framesOf(answer.body, wire.framing)) {
    const complaint = Object.hasOwn(frame, 'error') ? wire.complaint(frame) : null;
    if (complaint !== null) throw brokenOff(complaint);
    const text = pieces.take(frame);
    if (text !== '') report?.({ text });
  }
  const said = pieces.said();
  if (said !== null) return said;
  throw new GleitzeitError('GLZ2002', 'the service stopped in the middle of its answer');
}

async function textOf(answer: WebStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function complaintIn(text: string, wire: Wire) {
  try {
    return wire.complaint(parsed(text));
  } catch {
    return null;
  }
}

function isStream(headers: ResponseHeaders): boolean {
  return /event-stream|ndjson|jsonl/i.test(String(headers['content-type'] ?? ''));
}

/** OpenAI says it to the millisecond, everybody else in seconds. */
function waitOf(headers: ResponseHeaders, { wall }: Clock): number | undefined {
  const exact = String(headers['retry-after-ms'] ?? '');
  return /^\d+(?:\.\d+)?$/.test(exact) ? Number(exact) : retryAfter(headers['retry-after'], wall);
}
