import type { RuleText } from './rule.ts';

export const streamRules = {
  'stream-type': {
    level: 'error',
    expected: 'Content-Type: text/event-stream',
    clause: 'A2A §9.4.2 (0.3: §3.3.1)',
    hint: 'set the header before the first event',
  },
  'stream-json': {
    level: 'error',
    expected: 'JSON in the data of each event',
    clause: 'A2A §9.4.2',
    hint: 'write nothing but answers of JSON-RPC into data; a stream ends by ending',
  },
  'stream-envelope': {
    level: 'error',
    expected: 'an answer of JSON-RPC with the id of the request in each event',
    clause: 'A2A §9.4.2 (0.3: §3.3.1)',
    hint: 'wrap each event: {"jsonrpc": "2.0", "id": …, "result": …}',
  },
  'stream-shape': {
    level: 'error',
    expected:
      'a task, a message, a status or a piece of an artifact: told by kind (0.3), or by the name of its member (1.0)',
    clause: 'A2A 1.0 §3.2.3 (0.3: §7.2.1)',
    hint: 'write events as the version that was asked for does',
  },
  'stream-first': {
    level: 'error',
    expected: 'the task, or a message, as the first event',
    clause: 'A2A §3.1.2',
    hint: 'send the task before anything about it: callers need its id to come back after a cut',
  },
  'stream-last': {
    level: 'error',
    expected: 'a state that ends the task or waits for input; on 0.3 with final: true',
    clause: 'A2A §3.1.2 (0.3: §7.2.2)',
    hint: 'send the last state before the stream ends',
  },
  'stream-ends': {
    level: 'error',
    expected: 'the end of the stream after the last event',
    clause: 'A2A §3.1.2',
    hint: 'end the answer when the task has ended',
  },
  'stream-pieces': {
    level: 'warning',
    expected: 'append: false for the first piece of an artifact',
    clause: 'A2A §4.2.2',
    hint: 'say append: true only of pieces that belong to one that was sent before',
  },
  'stream-task': {
    level: 'error',
    expected: 'the id of the task that the stream is about',
    clause: 'A2A §4.2.1 (0.3: §7.2.2)',
    hint: 'give every stream the events of its own task only',
  },
  resubscribe: {
    level: 'warning',
    expected: 'error -32001 for a task that there is not',
    clause: 'A2A §3.1.6 (0.3: §7.9)',
    hint: 'serve tasks/resubscribe and SubscribeToTask, so that callers can go on after a cut',
  },
} as const satisfies Record<string, RuleText>;
