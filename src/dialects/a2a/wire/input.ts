import type { Json, JsonObject } from '../../../core/json.ts';
import { callInput, inputText } from '../../agent/input.ts';
import type { Message, Part } from './model.ts';

/** One part of text, as every agent understands it. */
export function inputParts(input: Json): readonly Part[] {
  return [{ kind: 'text', text: inputText(input) }];
}

/** A call of a protocol's method: as data for those who look for it, and before that as text for all others. */
export function callParts(method: string, params: JsonObject): readonly Part[] {
  const call = callInput(method, params);
  return [
    { kind: 'text', text: JSON.stringify(call) },
    { kind: 'data', data: call },
  ];
}

/** The same task is the same message however often it is sent: an agent can recognise a repeat. */
export function messageId(call_id: string): string {
  return `msg-${call_id}`;
}

export type Told = {
  readonly call_id: string;
  readonly parts: readonly Part[];
  /** Those of the task that is gone on with. */
  readonly task_id?: string | undefined;
  readonly context_id?: string | undefined;
};

export function userMessage({ call_id, parts, task_id, context_id }: Told): Message {
  return {
    message_id: messageId(call_id),
    role: 'user',
    parts,
    ...(task_id === undefined ? {} : { task_id }),
    ...(context_id === undefined ? {} : { context_id }),
  };
}
