import type { RuleText } from './rule.ts';

export const httpRules = {
  answers: {
    level: 'error',
    expected: 'an answer in time',
    clause: 'JSON-RPC 2.0 §5: a request is answered',
    hint: 'answer every request; for work that takes long, answer at once with a task that is working. --timeout waits longer',
  },
  'answer-whole': {
    level: 'error',
    expected: 'as many bytes as Content-Length promises',
    clause: 'RFC 9112 §6.3',
    hint: 'count the bytes of the body, not its characters, and send all of them before closing the connection',
  },
  'answer-utf8': {
    level: 'error',
    expected: 'JSON in UTF-8',
    clause: 'RFC 8259 §8.1',
    hint: 'encode the body as UTF-8',
  },
  'answer-json': {
    level: 'error',
    expected: 'one JSON document and nothing else',
    clause: 'RFC 8259 §2',
    hint: 'look for pages of a proxy or a framework, a byte order mark, or a second document behind the first',
  },
  'answer-type': {
    level: 'warning',
    expected: 'Content-Type: application/json',
    clause: 'A2A §9.1 (0.3: §3.2.1): application/json',
    hint: 'set the header Content-Type of answers to application/json',
  },
  'http-status': {
    level: 'error',
    expected: 'HTTP 200, with errors of JSON-RPC too',
    clause: 'A2A §9.5: errors travel in the body; callers try again after 5xx',
    hint: 'send HTTP 200 with the error in the body; 5xx means that the same request may be sent again',
  },
  access: {
    level: 'error',
    expected: 'an answer to somebody who may call',
    clause: 'RFC 9110 §15.5.2; A2A §7.4',
    hint: 'give what the agent wants to be shown: --token-env or --header-env, or auth_config of its entry',
  },
  unauthenticated: {
    level: 'error',
    expected: 'HTTP 401 or 403 to those who show nothing',
    clause: 'A2A §7.4 (0.3: §4.4)',
    hint: 'check credentials before anything else, or take security out of the card',
  },
  headers: {
    level: 'error',
    expected: 'the same answer as without them',
    clause: 'RFC 9110 §5.1: headers that are not known are ignored',
    hint: 'ignore headers that you do not know; X-Correlation-ID, Idempotency-Key and traceparent come with every call',
  },
  'content-type-parameters': {
    level: 'warning',
    expected: 'the same answer as to application/json',
    clause: 'RFC 9110 §8.3.1: a media type may have parameters',
    hint: 'compare only what stands before the semicolon of Content-Type',
  },
  'content-type': {
    level: 'warning',
    expected: 'error -32005, or HTTP 415',
    clause: 'A2A 1.0 §9.1, §3.3.2: ContentTypeNotSupportedError',
    hint: 'refuse bodies that are not sent as application/json: browsers of others can send those without asking',
  },
  'trailing-slash': {
    level: 'warning',
    expected: 'the same answer as without the slash',
    clause: 'clients, among them the compatibility kit of A2A, put a slash behind the address',
    hint: 'serve the path with and without a slash at its end',
  },
  redirect: {
    level: 'error',
    expected: 'an answer, not another address',
    clause: 'RFC 9110 §15.4: a POST may become a GET on the way',
    hint: 'register the address that answers by itself, and name it in the card',
  },
  'large-message': {
    level: 'warning',
    expected: 'requests of 64 KiB are read',
    clause: 'Gleitzeit sends inputs of up to 256 KiB as they are',
    hint: 'raise the limit for bodies to 1 MiB',
  },
  'at-once': {
    level: 'warning',
    expected: 'calls that come together are all answered, one after another if need be',
    clause: 'callers run tasks side by side',
    hint: 'let calls wait for each other instead of refusing them, or set a limit of 1 call at once for this agent',
  },
  'unknown-members': {
    level: 'error',
    expected: 'the same answer as without them',
    clause: 'A2A §5.7: members that are not known are ignored',
    hint: 'ignore members that you do not know: newer clients send more than older ones',
  },
} as const satisfies Record<string, RuleText>;
