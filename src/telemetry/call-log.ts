import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json } from '../core/json.ts';
import type { Dispatch, Sent } from '../core/ports/dispatch.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import { redactJson } from '../core/secrets.ts';
import { shapeOf } from '../core/shape.ts';
import { sendingBy } from './sending-by.ts';

/**
 * Writes down each call to a provider and its answer: who, which task, and the structure of both, never what they say.
 * For the level debug; above it this is not put in at all.
 */
export function logCalls(inner: Dispatch, logger: Logger): Dispatch {
  return sendingBy(inner, async (provider, call) => {
    logger.debug('call', { ...headOf(provider, call), params: shapeWithout(call.params, call.secrets) });
    const sent = await inner.send(provider, call);
    const left = sent.word === 'handed_over' || sent.word === 'wait';
    logger.debug(left ? 'sent' : 'answer', { ...headOf(provider, call), ...tell(sent, call.secrets) });
    return sent;
  });
}

function headOf(provider: Provider, call: ProviderCall) {
  const { method, task_id, workflow_id, call_id, attempt } = call;
  return {
    task_id,
    workflow_id,
    correlation_id: call_id,
    attempt,
    provider: provider.id,
    protocol: provider.protocol,
    method,
  };
}

function tell(answer: Sent, secrets: readonly string[]): object {
  if (answer.word === 'handed_over') return answer;
  if (answer.word === 'wait') return { word: answer.word, line: answer.line.key };
  if (answer.word === 'done') return { word: answer.word, result: structureOf(answer.result, secrets) };
  if (answer.word === 'again') return { word: answer.word, after_ms: answer.after_ms };
  if (answer.word === 'withdrawn') return { word: answer.word };
  if (answer.word === 'outside') return { word: answer.word, kind: answer.wait.kind };
  const { error_code, remote_code } = answer.error.data;
  return { word: answer.word, error_code, remote_code };
}

/** Names of members are shown as they are, and a service may have been told one in confidence. */
function shapeWithout(value: Json, secrets: readonly string[]): unknown {
  return shapeOf(secrets.length === 0 ? value : redactJson(value, secrets));
}

function structureOf(result: string, secrets: readonly string[]): unknown {
  try {
    return shapeWithout(JSON.parse(result) as Json, secrets);
  } catch {
    return `no JSON(${result.length})`;
  }
}

type Called = { readonly params: unknown; readonly id: unknown };

/** The same for the methods others call here. Request and response share the caller's id and name what they are about. */
export function logMethods<Call extends Called>(
  methods: ReadonlyMap<string, (call: Call) => unknown>,
  logger: Logger,
): ReadonlyMap<string, (call: Call) => Promise<unknown>> {
  const logged = (method: string, handle: (call: Call) => unknown) => async (call: Call) => {
    const head = { method, request_id: call.id ?? null, ...idsIn(call.params) };
    logger.debug('request', { ...head, params: shapeOf(call.params) });
    try {
      const result = await handle(call);
      logger.debug('response', { ...head, ...idsIn(result), result: shapeOf(result) });
      return result;
    } catch (thrown) {
      logger.debug('response', { ...head, error_code: GleitzeitError.from(thrown).code });
      throw thrown;
    }
  };
  return new Map([...methods].map(([name, handle]) => [name, logged(name, handle)]));
}

/** Whose call it is, as far as params or result say so themselves. */
function idsIn(value: unknown): { readonly task_id?: string; readonly workflow_id?: string } {
  if (!isObject(value)) return {};
  const { task_id, workflow_id } = value;
  return {
    ...(typeof task_id === 'string' ? { task_id } : {}),
    ...(typeof workflow_id === 'string' ? { workflow_id } : {}),
  };
}
