import type { JsonObject } from '../core/json.ts';

export type Version = '0.3' | '1.0';

const states = [
  'submitted',
  'working',
  'input-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'auth-required',
];

/** How a version of A2A writes what the check has to say and to read. */
export type Wire = {
  readonly version: Version;
  readonly place: 'a2a-0.3' | 'a2a-1.0';
  readonly headers: Readonly<Record<string, string>>;
  readonly send: string;
  readonly stream: string;
  readonly get: string;
  readonly cancel: string;
  readonly subscribe: string;
  /** What it was told to call back. */
  readonly push: string;
  readonly extended: string;
  message(id: string, text: string): JsonObject;
  /** In the words of 0.3; null for a word that this version does not have. */
  state(word: unknown): string | null;
  readonly roles: readonly string[];
};

export const wires: Readonly<Record<Version, Wire>> = {
  '0.3': {
    version: '0.3',
    place: 'a2a-0.3',
    headers: {},
    send: 'message/send',
    stream: 'message/stream',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
    subscribe: 'tasks/resubscribe',
    push: 'tasks/pushNotificationConfig/get',
    extended: 'agent/getAuthenticatedExtendedCard',
    message: (messageId, text) => ({
      ...{ kind: 'message', role: 'user', messageId, parts: [{ kind: 'text', text }] },
    }),
    // `unknown` is a word of 0.3 too.
    state: (word) => (typeof word === 'string' && [...states, 'unknown'].includes(word) ? word : null),
    roles: ['user', 'agent'],
  },
  '1.0': {
    version: '1.0',
    place: 'a2a-1.0',
    headers: { 'a2a-version': '1.0' },
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
    push: 'GetTaskPushNotificationConfig',
    extended: 'GetExtendedAgentCard',
    message: (messageId, text) => ({ role: 'ROLE_USER', messageId, parts: [{ text }] }),
    state: (word) =>
      states.find((state) => word === `TASK_STATE_${state.toUpperCase().replace('-', '_')}`) ?? null,
    roles: ['ROLE_USER', 'ROLE_AGENT'],
  },
};

export const endStates: readonly string[] = ['completed', 'canceled', 'failed', 'rejected'];
export const restStates: readonly string[] = [...endStates, 'input-required', 'auth-required'];
