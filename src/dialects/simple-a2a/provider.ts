import { AGENT_PROTOCOL } from '../../core/agent.ts';
import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Probe, Provider, ProviderCall } from '../../core/ports/provider.ts';
import { redact } from '../../core/secrets.ts';
import { readMessage } from '../../rpc/answers.ts';
import { beginning, codeForStatus, faultOfCredentials, faultOfEndpoint } from '../../rpc/http/answer.ts';
import type { HttpResponse, WebClient } from '../../rpc/http/client.ts';
import { retryAfter } from '../../rpc/http/retry-after.ts';
import { agentResult } from '../agent/answer.ts';
import { callHeaders } from '../agent/headers.ts';
import { callInput } from '../agent/input.ts';
import { Translation, type TranslationParts } from '../agent/translation.ts';
import { compression } from '../agent/translation-error.ts';
import { answerLimits } from '../provider-type.ts';
import { type Limit, within } from '../timeout.ts';
import { resultWithout, withoutSecrets } from '../without-secrets.ts';
import { readAnswer, requestBody, type SimpleAnswer, unreadable, wordsOf } from './wire.ts';

export type SimpleA2aParts = {
  readonly id: string;
  readonly protocol: string;
  readonly url: URL;
  readonly client: WebClient;
  /** Sent with every request. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly secrets: () => readonly string[];
  /** Those of them that the agent is shown of who calls: they do not belong into a result either. */
  readonly proofs: () => readonly string[];
  readonly timeout: Limit | null;
  readonly clock: Clock;
  readonly translation: TranslationParts;
  readonly probe: Probe;
};

/** One request, one answer: `{task_id, input}` there, `{task_id, status, output, error}` back. */
export function simpleA2aProvider(parts: SimpleA2aParts): Provider {
  const { id, protocol, client, probe } = parts;
  return {
    id,
    protocol,
    hasMethod: () => true,
    call: (call) => answer(parts, call),
    probe,
    close: () => client.close(),
  };
}

async function answer(parts: SimpleA2aParts, call: ProviderCall): Promise<Answer> {
  const translation = new Translation(parts.translation, call);
  try {
    if (call.response !== undefined) throw answeredElsewhere();
    const named = parts.protocol === AGENT_PROTOCOL;
    const input = named ? call.params : callInput(call.method, call.params);
    const body = translation.request(input, () => requestBody(call.call_id, input));
    const { timeout } = parts;
    const response = await (timeout === null
      ? send(parts, call, { body, signal: call.signal })
      : within(timeout, call.signal, (signal) => send(parts, call, { body, signal })));
    const odd: string[] = [];
    const said = () => response.body.toString();
    const read = translation.response(said, () => readResponse(parts, response, { call, odd }));
    translation.odd(odd);
    if ('error' in read) throw read.error;
    const output = named ? agentResult(read.output) : read.output;
    translation.extracted(output);
    return { word: 'done', result: resultWithout(JSON.stringify(output), parts.proofs()) };
  } catch (thrown) {
    const error = GleitzeitError.from(thrown, 'GLZ2001');
    translation.failed(error);
    return { word: 'failed', error: withoutSecrets(error.toRecord(), parts.secrets()) };
  }
}

/** Simple A2A knows no questions: whoever asked was spoken to differently, and would now take the task for a new one. */
function answeredElsewhere(): GleitzeitError {
  return new GleitzeitError(
    'GLZ2010',
    'what was answered cannot be handed to the agent: it asked in another dialect',
    {
      reason: 'its entry was switched to simple-a2a while the task waited for the answer',
      hint: 'retry the task to begin it anew, or switch the entry back, answer, and switch it then',
    },
  );
}

type Sent = { readonly body: Json; readonly signal: AbortSignal };

function send(parts: SimpleA2aParts, call: ProviderCall, { body, signal }: Sent): Promise<HttpResponse> {
  const { url, client, headers } = parts;
  return client.request({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...callHeaders(call),
      ...headers(),
    },
    body: JSON.stringify(body),
    signal,
    max_bytes: answerLimits.max_message,
  });
}

type Reading = { readonly call: ProviderCall; readonly odd: string[] };

function readResponse(parts: SimpleA2aParts, response: HttpResponse, { call, odd }: Reading): SimpleAnswer {
  const read = readMessage(response.body, answerLimits.max_depth);
  // Under a status that refuses, anything may stand in the body; whatever it is, the status decides.
  if (response.status >= 300) return { error: refused(parts, response, 'value' in read ? read.value : null) };
  if ('invalid' in read)
    throw unreadable('no_json', compression(response.headers) ?? read.invalid, response.body.toString());
  return readAnswer(read.value, call.call_id, odd);
}

function refused(
  { url, clock, secrets }: SimpleA2aParts,
  response: HttpResponse,
  body: Json,
): GleitzeitError {
  const { status, headers } = response;
  const peer = `${url.origin}${url.pathname}`;
  const said = isObject(body) ? wordsOf(own(body, 'error') ?? own(body, 'message')) : null;
  const retry_after_ms = retryAfter(headers['retry-after'], () => clock.wall());
  const hide = (text: string) => redact(text, secrets());
  return new GleitzeitError(
    codeForStatus(status),
    said ?? `${peer} answered HTTP ${status}${beginning(response, { hide })}`,
    {
      reason: `${peer} answered HTTP ${status}`,
      ...(status === 401 || status === 403 ? { hint: 'check the auth of this agent' } : {}),
      ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
      ...(said === null ? faultOfEndpoint(status) : faultOfCredentials(status)),
      details: { http_status: status },
    },
  );
}
