import type { RuleText } from './rule.ts';

export const rpcRules = {
  envelope: {
    level: 'error',
    expected: 'one object with jsonrpc "2.0", the id, and either result or error',
    clause: 'JSON-RPC 2.0 §5',
    hint: 'leave error out of answers that have a result, and result out of those that have an error',
  },
  'answer-id': {
    level: 'error',
    expected: 'the id of the request, of the same type',
    clause: 'JSON-RPC 2.0 §5: id',
    hint: 'give the id back as it came: "7" is not 7, and calls that run together have each their own',
  },
  'error-object': {
    level: 'error',
    expected: 'error: {code: a whole number, message: a text}',
    clause: 'JSON-RPC 2.0 §5.1',
    hint: 'send an object with both',
  },
  'error-leak': {
    level: 'warning',
    expected: 'a message for callers',
    clause: 'JSON-RPC 2.0 §5.1: message is one concise sentence',
    hint: 'log traces and paths; tell callers what they can do',
  },
  'error-details': {
    level: 'warning',
    expected: 'data: [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain}]',
    clause: 'A2A 1.0 §9.5',
    hint: 'add the details, with domain a2a-protocol.org',
  },
  'parse-error': {
    level: 'error',
    expected: 'error -32700 with id null',
    clause: 'JSON-RPC 2.0 §5.1',
    hint: 'answer what cannot be read with -32700 instead of failing',
  },
  'invalid-request': {
    level: 'warning',
    expected: 'error -32600',
    clause: 'JSON-RPC 2.0 §5.1',
    hint: 'check that jsonrpc is "2.0" before anything else',
  },
  'unknown-method': {
    level: 'error',
    expected: 'error -32601',
    clause: 'JSON-RPC 2.0 §5.1; by it clients find out which version an agent speaks',
    hint: 'answer methods that you do not have with -32601',
  },
  'invalid-params': {
    level: 'warning',
    expected: 'error -32602',
    clause: 'JSON-RPC 2.0 §5.1',
    hint: 'check params before the work begins; -32603 means that the same request may succeed later',
  },
  'version-header': {
    level: 'error',
    expected: 'requests with A2A-Version: 1.0 are taken',
    clause: 'A2A 1.0 §3.6.1',
    hint: 'read the header, or ignore it; clients of 1.0 send it with every request',
  },
  'unknown-version': {
    level: 'warning',
    expected: 'error -32009',
    clause: 'A2A 1.0 §3.6.2',
    hint: 'refuse versions that you do not speak, so that callers try another',
  },
} as const satisfies Record<string, RuleText>;
