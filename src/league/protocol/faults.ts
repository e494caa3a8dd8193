import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
} from '../../rpc/messages.ts';

/** Wrong phase, a duplicate, something that is not there: what was said is right, but not now. */
export const WRONG_STATE = -32000;

/** The league's names for what can be wrong, and the JSON-RPC code that each has where it is told by itself. */
export const faultCodes = {
  INVALID_JSON_RPC: INVALID_REQUEST,
  INVALID_PROTOCOL_VERSION: INVALID_REQUEST,
  INVALID_METHOD: METHOD_NOT_FOUND,
  MISSING_ENVELOPE: INVALID_REQUEST,
  INVALID_ENVELOPE_FIELD: INVALID_REQUEST,
  MISSING_REQUIRED_FIELD: INVALID_REQUEST,
  INVALID_MESSAGE_TYPE: INVALID_REQUEST,
  INVALID_SENDER_FORMAT: INVALID_REQUEST,
  INVALID_TIMESTAMP: INVALID_REQUEST,
  AUTHENTICATION_FAILED: INVALID_REQUEST,
  AUTHORIZATION_FAILED: INVALID_REQUEST,
  DUPLICATE_REGISTRATION: WRONG_STATE,
  REGISTRATION_CLOSED: WRONG_STATE,
  INVALID_AGENT_STATE: WRONG_STATE,
  INVALID_MATCH_ID: WRONG_STATE,
  INVALID_ROUND_ID: WRONG_STATE,
  INVALID_LEAGUE_ID: WRONG_STATE,
  DUPLICATE_RESULT: WRONG_STATE,
  PRECONDITION_FAILED: WRONG_STATE,
  INVALID_REFEREE_ID: INVALID_PARAMS,
  INVALID_PLAYER_ID: INVALID_PARAMS,
  TIMEOUT_EXCEEDED: WRONG_STATE,
  REFEREE_UNAVAILABLE: WRONG_STATE,
  MATCH_EXECUTION_FAILED: WRONG_STATE,
  INTERNAL_ERROR: INTERNAL_ERROR,
} as const;

export type FaultName = keyof typeof faultCodes;

/** `details` is one sentence for people. It never quotes what was sent: that may hold a token. */
export type Fault = { readonly name: FaultName; readonly code: number; readonly details: string };

export function fault(name: FaultName, details: string): Fault {
  return { name, code: faultCodes[name], details };
}

/** The same name, told of a payload. */
export function payloadFault(name: FaultName, details: string): Fault {
  return { name, code: INVALID_PARAMS, details };
}

export const unparseable: Fault = {
  name: 'INVALID_JSON_RPC',
  code: PARSE_ERROR,
  details: 'the body is no JSON',
};

const messages: ReadonlyMap<number, string> = new Map([
  [PARSE_ERROR, 'Parse error'],
  [INVALID_REQUEST, 'Invalid Request'],
  [METHOD_NOT_FOUND, 'Method not found'],
  [INVALID_PARAMS, 'Invalid params'],
  [INTERNAL_ERROR, 'Internal error'],
  [WRONG_STATE, 'Not possible now'],
]);

export function faultMessage(code: number): string {
  return messages.get(code) ?? 'Error';
}

export function isFaultName(name: unknown): name is FaultName {
  return typeof name === 'string' && Object.hasOwn(faultCodes, name);
}
