import { AGENT_METHOD, AGENT_PROTOCOL } from '../../core/agent.ts';
import type { JsonObject } from '../../core/json.ts';

/** Pairs of keys that mean the same, of which one may stand. */
export function notBoth(...pairs: readonly (readonly [string, string])[]): JsonObject[] {
  return pairs.map((required) => ({ not: { type: 'object', required: [...required] } }));
}

export const callRules = notBoth(
  ['parameters', 'params'],
  ['retry', 'retry_config'],
  ['input', 'params'],
  ['input', 'parameters'],
);

const noFunction = { type: false, function: false, args: false, arguments: false };

/** A task calls a method. */
export const methodForm = {
  required: ['method'],
  properties: { ...noFunction, agent: false, input: false },
};

/** A task is for an agent: what that calls is known. */
export const agentForm = {
  required: ['agent'],
  properties: { ...noFunction, protocol: { const: AGENT_PROTOCOL }, method: { const: AGENT_METHOD } },
};

/** A task of an earlier generation calls a function, whose name may stand among its arguments. */
export const argumentKeys = ['args', 'arguments', 'parameters', 'params'];
export const functionForm = {
  properties: { protocol: false, method: false, agent: false, input: false },
  anyOf: [
    { required: ['function'], properties: { function: { pattern: '\\S' } } },
    ...argumentKeys.map((key) => ({
      required: ['type', key],
      properties: {
        [key]: {
          type: 'object',
          required: ['function'],
          properties: { function: { type: 'string', pattern: '\\S' } },
        },
      },
    })),
  ],
  allOf: notBoth(
    ['args', 'arguments'],
    ['args', 'parameters'],
    ['args', 'params'],
    ['arguments', 'parameters'],
    ['arguments', 'params'],
  ),
};

/** Older files name the protocol in the method. */
export const hasProtocol = {
  anyOf: [{ required: ['protocol'] }, { properties: { method: { pattern: '^[^/]+/' } } }],
};
