import { type Fault, idOf, json, page, swap, swapIn, talkOf } from './fault.ts';

const gets = /"(tasks\/get|GetTask)"/;
const artifact = String.raw`\{"artifactId":"result","parts":\[\{[^}]*\}\]\}`;

/** Found by agents that were right in each answer, and wrong in what the answers said together. */
export const furtherFaults: readonly Fault[] = [
  {
    name: 'task-and-message',
    about: 'On 1.0 its results hold a task and a message.',
    rule: 'result-shape',
    ...swapIn(
      /"SendMessage"/,
      '"result":{"task"',
      '"result":{"message":{"role":"ROLE_AGENT","messageId":"m","parts":[{"text":"x"}]},"task"',
    ),
  },
  {
    name: 'time-that-is-none',
    about: 'Its times are of days that there are not.',
    rule: 'timestamps',
    ...swap('rpc', /"timestamp":"[^"]*"/, '"timestamp":"2026-13-45T25:61:61Z"'),
  },
  {
    name: 'context-changes',
    about: 'Asked for a task it shows it in another context.',
    rule: 'context-kept',
    ...swapIn(gets, /"contextId":"[^"]*","status"/, '"contextId":"another","status"'),
  },
  {
    name: 'result-lost',
    about: 'Asked for a task that has ended it shows it without its result.',
    rule: 'task-kept',
    ...swapIn(gets, new RegExp(`,"artifacts":\\[${artifact}\\]`), ''),
  },
  {
    name: 'end-forgotten',
    about: 'Asked for a task that has ended it says that it works on it.',
    rule: 'task-kept',
    ...swapIn(gets, '"state":"completed"', '"state":"working"'),
  },
  {
    name: 'artifacts-with-one-id',
    about: 'Two artifacts of a task have the same id.',
    rule: 'artifacts',
    ...swap('rpc', new RegExp(`"artifacts":\\[(${artifact})\\]`), '"artifacts":[$1,$1]'),
  },
  {
    name: 'long-id-cut',
    about: 'It cuts the ids of requests.',
    rule: 'answer-id',
    ...swap('rpc', /"jsonrpc":"2.0","id":"([^"]{80})[^"]*"/, '"jsonrpc":"2.0","id":"$1"'),
  },
  {
    name: 'id-in-ascii',
    about: 'It writes ids of requests without the letters that it does not know.',
    rule: 'answer-id',
    after: (given, asked) =>
      talkOf(asked, given) === 'rpc'
        ? { ...given, body: String(given.body).replace(/"id":"[^"]*[^ -~][^"]*"/, '"id":"?"') }
        : given,
  },
  {
    name: 'params-in-a-list-break-it',
    about: 'Params that are a list make it fail.',
    rule: 'http-status',
    instead: ({ body }) => (body.includes('"params":[') ? page(500) : undefined),
  },
  {
    name: 'method-without-a-name-breaks-it',
    about: 'A method that is no text makes it fail.',
    rule: 'invalid-request',
    instead: ({ body }) => (/"method":\s*\d/.test(body) ? page(500) : undefined),
  },
  {
    name: 'stream-two-in-one',
    about: 'On 1.0 an event tells two things at once.',
    rule: 'stream-shape',
    ...swap('stream', '"result":{"statusUpdate"', '"result":{"artifactUpdate":{"taskId":"x"},"statusUpdate"'),
  },
  {
    name: 'stream-of-other-context',
    about: 'The events of its streams are in another context than the task.',
    rule: 'stream-task',
    ...swap('stream', /("taskId":"[^"]*"),"contextId":"[^"]*"/, '$1,"contextId":"another"'),
  },
  {
    name: 'stream-final-too-early',
    about: 'On 0.3 an event says that it is the last, and is not.',
    rule: 'stream-last',
    after: (given, asked) => {
      if (talkOf(asked, given) !== 'stream') return given;
      const [task = '', ...events] = String(given.body).split('\n\n');
      const last = events.find((event) => event.includes('"final":true')) ?? '';
      const early = last.replace('"state":"completed"', '"state":"working"');
      return { ...given, body: [task, ...(early === '' ? [] : [early]), ...events].join('\n\n') };
    },
  },
  {
    name: 'stream-without-result',
    about: 'Its streams bring nothing of what the task came to.',
    rule: 'output',
    after: (given, asked) => {
      if (talkOf(asked, given) !== 'stream') return given;
      const events = String(given.body).split('\n\n');
      return { ...given, body: events.filter((event) => !/artifact-?update/i.test(event)).join('\n\n') };
    },
  },
  {
    name: 'stream-of-other-result',
    about: 'What its streams bring is not there afterwards.',
    rule: 'task-kept',
    ...swap('stream', '"artifactId":"result"', '"artifactId":"other"'),
  },
  {
    name: 'card-promises-calls-back',
    about: 'Its card says that it calls back, and it has no method for that.',
    rule: 'card-promises',
    ...swap('card', '"pushNotifications":false', '"pushNotifications":true'),
  },
  {
    name: 'card-promises-another',
    about: 'Its card says that there is a longer one, and there is none.',
    rule: 'card-promises',
    ...swap('card', '"streaming":true', '"streaming":true,"extendedAgentCard":true'),
  },
  {
    name: 'card-never-changes',
    about: 'It says of its card that it is as it was, to those who know another.',
    rule: 'card-etag',
    instead: ({ method, headers }) =>
      method === 'GET' && headers['if-none-match'] !== undefined
        ? { status: 304, headers: {}, body: '' }
        : undefined,
  },
];

const failsAt = (when: RegExp): Pick<Fault, 'instead'> => ({
  instead: (asked) => {
    if (asked.method !== 'POST' || !when.test(asked.body)) return undefined;
    const { task_id } = JSON.parse(asked.body) as { task_id: string };
    return json({ task_id, status: 'error', output: null, error: 'no' });
  },
});

/** The same for those who speak simple-a2a. */
export const furtherSimpleFaults: readonly Fault[] = [
  {
    name: 'simple-list-breaks-it',
    about: 'JSON that is no object makes it fail.',
    rule: 'simple-malformed',
    instead: ({ method, body }) => (method === 'POST' && body === '[]' ? page(500) : undefined),
  },
  {
    name: 'simple-fails-at-text',
    about: 'It fails at an input that is a text, and says so with HTTP 200.',
    rule: 'simple-input',
    ...failsAt(/"input":"/),
  },
  {
    name: 'simple-fails-at-members',
    about: 'It fails at members that it does not know, and says so with HTTP 200.',
    rule: 'unknown-members',
    ...failsAt(/"x_unknown"/),
  },
  {
    name: 'simple-answers-mixed-up',
    about: 'Calls that come together are answered with the task_id of another.',
    rule: 'simple-task-id',
    after: (given, asked) =>
      /-[23]","input"/.test(asked.body)
        ? { ...given, body: String(given.body).replace(/"task_id":"[^"]*"/, '"task_id":"of-another"') }
        : given,
  },
  {
    name: 'simple-error-with-stack',
    about: 'Its errors show the inside of the program.',
    rule: 'error-leak',
    instead: (asked) =>
      talkOf(asked) === 'simple'
        ? json({
            task_id: idOf(asked),
            status: 'error',
            output: null,
            error: 'Traceback (most recent call last)',
          })
        : undefined,
  },
  {
    name: 'simple-page-with-stack',
    about: 'What it refuses is answered with a page that shows the inside of the program.',
    rule: 'error-leak',
    instead: ({ method, body }) =>
      method === 'POST' && body === '{"task_id": '
        ? { ...page(400), body: '<pre>SyntaxError\n    at JSON.parse (/srv/agent/index.js:12:7)</pre>' }
        : undefined,
  },
];
