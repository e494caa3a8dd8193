import { type Fault, idOf, json, page, swap, swapIn, talkOf } from './fault.ts';

/** Found when the first list was looked over again. */
export const moreFaults: readonly Fault[] = [
  {
    name: 'context-replaced',
    about: 'It puts messages into a context of its own choice.',
    rule: 'context-kept',
    before: (asked) => ({ ...asked, body: asked.body.replace(/,"contextId":"[^"]*"/, '') }),
  },
  {
    name: 'message-to-unknown-task',
    about: 'It begins anew when a message names a task that it does not know.',
    rule: 'message-to-unknown',
    before: (asked) => ({ ...asked, body: asked.body.replace(/,"taskId":"no-such-task[^"]*"/, '') }),
  },
  {
    name: 'message-to-ended-task',
    about: 'It begins anew when a message names a task that has ended.',
    rule: 'message-to-ended',
    before: (asked) => ({ ...asked, body: asked.body.replace(/,"taskId":"(?!no-such)[^"]*"/, '') }),
  },
  {
    name: 'id-zero-lost',
    about: 'It takes the id 0 for none.',
    rule: 'answer-id',
    ...swap('rpc', '"id":0,', '"id":null,'),
  },
  {
    name: 'empty-body-breaks-it',
    about: 'A request without a body makes it fail.',
    rule: 'invalid-request',
    instead: ({ method, body }) => (method === 'POST' && body === '' ? page(500) : undefined),
  },
  {
    name: 'scalar-breaks-it',
    about: 'JSON that is no object makes it fail.',
    rule: 'invalid-request',
    instead: ({ method, body }) => (method === 'POST' && body === 'null' ? page(500) : undefined),
  },
  {
    name: 'names-of-objects-are-methods',
    about: 'It finds methods that every object has.',
    rule: 'unknown-method',
    instead: (asked) =>
      asked.body.includes('"constructor"')
        ? json({ jsonrpc: '2.0', id: idOf(asked), result: {} })
        : undefined,
  },
  {
    name: 'open-door',
    about: 'Its card wants callers to show who they are, and it takes everybody.',
    rule: 'unauthenticated',
    ...swap(
      'card',
      '"defaultInputModes"',
      '"securitySchemes":{"b":{"type":"http","scheme":"bearer"}},"security":[{"b":[]}],"defaultInputModes"',
    ),
  },
  {
    name: 'locked-door',
    about: 'It lets nobody in who shows nothing.',
    rule: 'access',
    instead: ({ method }) => (method === 'POST' ? json({ error: 'who are you?' }, 401) : undefined),
  },
  {
    name: 'card-streaming-is-text',
    about: 'A capability in its card is a text.',
    rule: 'card-members',
    ...swap('card', '"streaming":true', '"streaming":"yes"'),
  },
  {
    name: 'stream-goes-on',
    about: 'Its streams go on after the task has ended.',
    rule: 'stream-last',
    after: (given, asked) => {
      if (talkOf(asked, given) !== 'stream') return given;
      const events = String(given.body).split('\n\n');
      return { ...given, body: [...events.slice(0, -1), events.at(-3) ?? '', ''].join('\n\n') };
    },
  },
  {
    name: 'stream-tells-other-state',
    about: 'Its streams end with another state than the task.',
    rule: 'stream-last',
    ...swap('stream', '"state":"completed"', '"state":"failed"'),
  },
  {
    name: 'stream-not-kept',
    about: 'It does not know a task that it has streamed.',
    rule: 'task-kept',
    ...swap('stream', /"id":"[0-9a-f-]{36}"/, '"id":"streamed"'),
  },
  {
    name: 'stream-with-http-status',
    about: 'It streams with HTTP 202.',
    rule: 'http-status',
    after: (given, asked) => (talkOf(asked, given) === 'stream' ? { ...given, status: 202 } : given),
  },
  {
    name: 'canceled-with-two-l',
    about: 'It writes states as it is spelled elsewhere.',
    rule: 'task-state',
    ...swapIn(
      /"(message\/send|SendMessage)"/,
      /"state":"(completed|TASK_STATE_COMPLETED)"/,
      '"state":"cancelled"',
    ),
  },
];
