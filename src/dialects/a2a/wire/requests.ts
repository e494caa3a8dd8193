import type { JsonObject } from '../../../core/json.ts';
import { writeMessage } from './messages.ts';
import type { Message, WireVersion } from './model.ts';
import { given } from './parts.ts';

/** Which of the two wires an agent was found to speak, and what it wants in every request. */
export type Wire = {
  readonly version: WireVersion;
  /** Of the chosen interface, only in 1.0. */
  readonly tenant?: string | undefined;
};

/** Method and params; whoever sends them adds the envelope. */
export type WireRequest = { readonly method: string; readonly params: JsonObject };

type Operation =
  | 'send'
  | 'stream'
  | 'get'
  | 'cancel'
  | 'subscribe'
  | 'set_push'
  | 'delete_push'
  | 'extended_card';

const methods: Readonly<Record<WireVersion, Readonly<Record<Operation, string>>>> = {
  '0.3': {
    send: 'message/send',
    stream: 'message/stream',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
    subscribe: 'tasks/resubscribe',
    set_push: 'tasks/pushNotificationConfig/set',
    delete_push: 'tasks/pushNotificationConfig/delete',
    extended_card: 'agent/getAuthenticatedExtendedCard',
  },
  '1.0': {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
    set_push: 'CreateTaskPushNotificationConfig',
    delete_push: 'DeleteTaskPushNotificationConfig',
    extended_card: 'GetExtendedAgentCard',
  },
};

/** Where an agent is to call back, and what it has to show then. */
export type Push = { readonly url: string; readonly token: string; readonly id?: string | undefined };

export type Sending = {
  readonly message: Message;
  /** Whether the agent should answer only when it is done or asks something; its own choice where this is left out. */
  readonly blocking?: boolean | undefined;
  readonly accepted_output_modes?: readonly string[] | undefined;
  readonly history_length?: number | undefined;
  readonly push?: Push | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Another name for the method, where the agent's entry gives one. */
  readonly method?: string | undefined;
};

export function sendRequest(wire: Wire, sending: Sending): WireRequest {
  return { method: sending.method ?? methods[wire.version].send, params: sendParams(wire, sending) };
}

export function streamRequest(wire: Wire, sending: Sending): WireRequest {
  return { method: sending.method ?? methods[wire.version].stream, params: sendParams(wire, sending) };
}

function sendParams(wire: Wire, sending: Sending): JsonObject {
  const { message, blocking, accepted_output_modes, history_length, push, metadata } = sending;
  const old = wire.version === '0.3';
  const waits = blocking === undefined ? {} : old ? { blocking } : { returnImmediately: !blocking };
  const configuration: JsonObject = {
    ...waits,
    ...given({ acceptedOutputModes: accepted_output_modes, historyLength: history_length }),
    ...(push === undefined
      ? {}
      : { [old ? 'pushNotificationConfig' : 'taskPushNotificationConfig']: pushJson(wire, push) }),
  };
  return {
    ...tenantOf(wire),
    message: writeMessage(message, wire.version),
    ...(Object.keys(configuration).length === 0 ? {} : { configuration }),
    ...given({ metadata }),
  };
}

/** `history_length` 0 leaves the history out: who polls needs it only once. */
export function getRequest(wire: Wire, task_id: string, history_length?: number): WireRequest {
  return ofTask(wire, 'get', { id: task_id, ...given({ historyLength: history_length }) });
}

export function cancelRequest(wire: Wire, task_id: string): WireRequest {
  return ofTask(wire, 'cancel', { id: task_id });
}

export function subscribeRequest(wire: Wire, task_id: string): WireRequest {
  return ofTask(wire, 'subscribe', { id: task_id });
}

export function setPushRequest(wire: Wire, task_id: string, push: Push): WireRequest {
  if (wire.version === '0.3')
    return ofTask(wire, 'set_push', { taskId: task_id, pushNotificationConfig: pushJson(wire, push) });
  return ofTask(wire, 'set_push', { taskId: task_id, ...pushJson(wire, push) });
}

export function deletePushRequest(wire: Wire, task_id: string, id: string): WireRequest {
  const params =
    wire.version === '0.3' ? { id: task_id, pushNotificationConfigId: id } : { taskId: task_id, id };
  return ofTask(wire, 'delete_push', params);
}

export function extendedCardRequest(wire: Wire): WireRequest {
  return ofTask(wire, 'extended_card', {});
}

function ofTask(wire: Wire, operation: Operation, params: JsonObject): WireRequest {
  return { method: methods[wire.version][operation], params: { ...tenantOf(wire), ...params } };
}

function tenantOf({ version, tenant }: Wire): JsonObject {
  return version === '0.3' || tenant === undefined || tenant === '' ? {} : { tenant };
}

/** The token goes in both places an agent may take it from: as the header of 0.3 and as credentials. */
function pushJson({ version }: Wire, { url, token, id }: Push): JsonObject {
  const authentication =
    version === '0.3'
      ? { schemes: ['Bearer'], credentials: token }
      : { scheme: 'Bearer', credentials: token };
  return { ...given({ id }), url, token, authentication };
}

/** `A2A-Version` names no patch; without it an agent takes the request for 0.3, which does not know the header. */
export function wireHeaders(
  version: WireVersion,
  extensions: readonly string[] = [],
): Record<string, string> {
  const wanted = extensions.join(', ');
  if (version === '0.3') return wanted === '' ? {} : { 'x-a2a-extensions': wanted };
  return { 'a2a-version': version, ...(wanted === '' ? {} : { 'a2a-extensions': wanted }) };
}
