import { type Fault, page, rpcError, swap, swapIn, talkOf, whenAsked } from './fault.ts';

export const resultFaults: readonly Fault[] = [
  {
    name: 'state-unknown',
    about: 'It uses a word for a state that A2A does not have.',
    rule: 'task-state',
    ...swap('rpc', /"state":"(TASK_STATE_COMPLETED|completed)"/, '"state":"done"'),
  },
  {
    name: 'state-of-other-version',
    about: 'On 0.3 its states are written as in 1.0.',
    rule: 'task-state',
    ...swap('rpc', '"state":"completed"', '"state":"TASK_STATE_COMPLETED"'),
  },
  {
    name: 'state-of-older-version',
    about: 'On 1.0 its states are written as in 0.3.',
    rule: 'task-state',
    ...swap('rpc', '"state":"TASK_STATE_COMPLETED"', '"state":"completed"'),
  },
  {
    name: 'status-is-text',
    about: 'The status of its tasks is a text.',
    rule: 'task-state',
    ...swap('rpc', /"status":\{"state":("[^"]*"),"timestamp":"[^"]*"\}/, '"status":$1'),
  },
  {
    name: 'task-without-id',
    about: 'Its tasks have no id.',
    rule: 'task-members',
    ...swap('rpc', /("kind":"task"|"task":\{),?"id":"[^"]*",/, `$1`),
  },
  {
    name: 'task-without-context',
    about: 'Its tasks have no context.',
    rule: 'task-members',
    ...swap('rpc', /"contextId":"[^"]*",("status")/, '$1'),
  },
  {
    name: 'snake-case',
    about: 'It writes names with underscores.',
    rule: 'task-members',
    ...swap('rpc', '"contextId"', '"context_id"'),
  },
  {
    name: 'result-without-kind',
    about: 'On 0.3 its results do not say what they are.',
    rule: 'result-shape',
    ...swap('rpc', '"kind":"task",', ''),
  },
  {
    name: 'result-not-wrapped',
    about: 'On 1.0 it sends a task as 0.3 does.',
    rule: 'result-shape',
    ...swapIn(/"SendMessage"/, /"result":\{"task":(\{.*\})\}\}$/, '"result":$1}'),
  },
  {
    name: 'part-with-type',
    about: 'Its parts say `type` instead of `kind`.',
    rule: 'parts',
    ...swap('rpc', '"kind":"text"', '"type":"text"'),
  },
  {
    name: 'part-with-kind-on-1.0',
    about: 'On 1.0 its parts say their kind.',
    rule: 'parts',
    ...swapIn(/"(SendMessage|GetTask)"/, '{"text":', '{"kind":"text","text":'),
  },
  {
    name: 'part-empty',
    about: 'Its parts hold nothing.',
    rule: 'parts',
    ...swap('rpc', /"artifactId":"result","parts":\[\{[^}]*\}\]/, '"artifactId":"result","parts":[{}]'),
  },
  {
    name: 'artifact-without-id',
    about: 'Its artifacts have no id.',
    rule: 'artifacts',
    ...swap('rpc', '"artifactId":"result",', ''),
  },
  {
    name: 'artifact-without-parts',
    about: 'Its artifacts have no parts.',
    rule: 'artifacts',
    ...swap('rpc', /"artifactId":"result","parts":\[\{[^}]*\}\]/, '"artifactId":"result","parts":[]'),
  },
  {
    name: 'nothing-to-show',
    about: 'It completes a task and gives no result.',
    rule: 'output',
    ...swap('rpc', /,"artifacts":\[\{"artifactId":"result","parts":\[\{[^}]*\}\]\}\]/, ''),
  },
  {
    name: 'time-without-zone',
    about: 'Its times do not say where.',
    rule: 'timestamps',
    ...swap('rpc', /("timestamp":"[^"]*)Z"/, '$1"'),
  },
  {
    name: 'time-in-seconds',
    about: 'Its times are numbers.',
    rule: 'timestamps',
    ...swap('rpc', /"timestamp":"[^"]*"/, '"timestamp":1763312400'),
  },
  {
    name: 'role-of-others',
    about: 'It calls whoever speaks assistant.',
    rule: 'messages',
    ...swap('rpc', /"role":"(user|ROLE_USER)"/, '"role":"assistant"'),
  },
  {
    name: 'message-without-id',
    about: 'The messages of its history have no id.',
    rule: 'messages',
    ...swap('rpc', /"messageId":"[^"]*",/, ''),
  },
  {
    name: 'task-forgotten',
    about: 'It does not know a task that it has just made.',
    rule: 'task-kept',
    ...whenAsked(/"(tasks\/get|GetTask)"/, rpcError(-32001)),
  },
  {
    name: 'task-of-others',
    about: 'Asked for one task it shows another.',
    rule: 'task-kept',
    ...swapIn(/"(tasks\/get|GetTask)"/, /("kind":"task",|"result":\{)"id":"[^"]*"/, '$1"id":"another"'),
  },
  {
    name: 'one-id-for-all-tasks',
    about: 'All its tasks have the same id.',
    rule: 'task-ids',
    ...swap('rpc', /("kind":"task",|"task":\{)"id":"[^"]*"/, '$1"id":"task-1"'),
  },
  {
    name: 'history-when-unwanted',
    about: 'It sends the history to those who want none of it.',
    rule: 'history-length',
    before: (asked) => ({ ...asked, body: asked.body.replaceAll(/"historyLength":0,?/g, '') }),
  },
];

export const httpFaults: readonly Fault[] = [
  {
    name: 'version-header-refused',
    about: 'It refuses requests that say their version.',
    rule: 'version-header',
    instead: (asked) =>
      asked.method === 'POST' && asked.headers['a2a-version'] === '1.0' ? page(400) : undefined,
  },
  {
    name: 'any-version',
    about: 'It takes requests of versions that there are not.',
    rule: 'unknown-version',
    before: (asked) =>
      asked.headers['a2a-version']?.startsWith('99')
        ? { ...asked, headers: { ...asked.headers, 'a2a-version': undefined } }
        : asked,
  },
  {
    name: 'headers-refused',
    about: 'It refuses requests with headers that it does not know.',
    rule: 'headers',
    instead: (asked) => (asked.headers['x-correlation-id'] === undefined ? undefined : page(400)),
  },
  {
    name: 'charset-refused',
    about: 'It refuses a content type that names its characters.',
    rule: 'content-type-parameters',
    instead: (asked) => (asked.headers['content-type']?.includes('charset') ? page(415) : undefined),
  },
  {
    name: 'any-content-type',
    about: 'It takes requests that say they are something else than JSON.',
    rule: 'content-type',
    before: (asked) => ({ ...asked, headers: { ...asked.headers, 'content-type': 'application/json' } }),
  },
  {
    name: 'trailing-slash-lost',
    about: 'With a slash behind its address it is not found.',
    rule: 'trailing-slash',
    instead: (asked) => (asked.method === 'POST' && /[^/]\/$/.test(asked.path) ? page(404) : undefined),
  },
  {
    name: 'redirected',
    about: 'It sends callers to another address.',
    rule: 'redirect',
    instead: (asked) =>
      asked.method === 'POST' && !asked.path.startsWith('/moved')
        ? { status: 301, headers: { location: '/moved' }, body: '' }
        : undefined,
  },
  {
    name: 'unknown-members-refused',
    about: 'It refuses requests with members that it does not know.',
    rule: 'unknown-members',
    ...whenAsked(/"x-unknown"|"x_unknown"/, rpcError(-32602)),
  },
  {
    name: 'large-messages-refused',
    about: 'It takes no message of 64 KiB.',
    rule: 'large-message',
    instead: (asked) => (asked.body.length > 20_000 ? page(413) : undefined),
  },
  {
    name: 'one-at-a-time',
    about: 'It refuses a second call while one runs.',
    rule: 'at-once',
    instead: refuseSecond(),
  },
  {
    name: 'answers-mixed-up',
    about: 'Calls that come together get the id of the last of them.',
    rule: 'answer-id',
    after: mixUp(),
  },
];

/** Calls that come within the same moment as another are refused. */
function refuseSecond() {
  let last = 0;
  return (asked: { readonly method: string; readonly body: string }) => {
    if (asked.method !== 'POST' || !/"at-once-/.test(asked.body)) return undefined;
    last += 1;
    return last % 2 === 0 ? page(503) : undefined;
  };
}

function mixUp(): NonNullable<Fault['after']> {
  let id = '"none"';
  return (given, asked) => {
    if (talkOf(asked, given) !== 'rpc') return given;
    const mine = /"id":("[^"]*"|\d+)/.exec(String(given.body))?.[1] ?? id;
    const body = /"at-once-/.test(asked.body)
      ? String(given.body).replace(`"id":${mine}`, `"id":${id}`)
      : given.body;
    id = mine;
    return { ...given, body };
  };
}
