import type { Exchange } from '../exchange.ts';
import { done03, done10, error, result, rpc, sent03, sent10, v1 } from './words.ts';

const cards: readonly Exchange[] = [
  {
    name: 'the card for those who say no version',
    method: 'GET',
    path: '.well-known/agent-card.json',
    answer: {
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      supportedInterfaces: [{ protocolVersion: '1.0' }, { protocolVersion: '0.3' }],
    },
  },
  {
    name: 'the card of 1.0',
    method: 'GET',
    path: '.well-known/agent-card.json',
    headers: v1,
    answer: { name: 'sample-agent', capabilities: { streaming: true } },
  },
  {
    name: 'the card at its old address',
    method: 'GET',
    path: '.well-known/agent.json',
    answer: { protocolVersion: '0.3.0' },
  },
  { name: 'health', method: 'GET', path: 'health', answer: { status: 'ok' } },
  { name: 'a GET', method: 'GET', path: '', status: 405, answer: { error: 'Send a POST' } },
];

const skills: readonly Exchange[] = [
  ['echo: hello', 'hello'],
  ['hello: you', 'hello: you'],
  // Languages differ in what they make of ß, and in whether they write U+2028 as an escape.
  ['upper: grün <&> "quoted" \u{1f600}\n\\ end', 'GRÜN <&> "QUOTED" \u{1f600}\n\\ END'],
  ['reverse: añb\u{1f600}', '\u{1f600}bña'],
  ['wordcount:  one two\nthree ', '3'],
  ['greet: Ada', 'Hello, Ada!'],
].flatMap(([asked = '', answered = '']) => [
  {
    name: `0.3 ${asked}`,
    body: rpc('message/send', sent03(asked)),
    answer: result(done03(answered)),
  },
  {
    name: `1.0 ${asked}`,
    headers: v1,
    body: rpc('SendMessage', sent10(asked)),
    answer: result(done10(answered)),
  },
  {
    name: `simple-a2a ${asked}`,
    body: { task_id: 't-1', input: asked },
    answer: { task_id: 't-1', status: 'success', output: { text: answered }, error: null },
  },
]);

const input: readonly Exchange[] = [
  {
    name: '0.3 asks',
    body: rpc('message/send', sent03('greet:')),
    keep: 'asked03',
    answer: result({
      status: {
        state: 'input-required',
        message: { role: 'agent', parts: [{ text: 'What is your name?' }] },
      },
    }),
  },
  {
    name: '0.3 a wrong context is refused',
    body: rpc('message/send', sent03('Ada', { taskId: '$asked03', contextId: 'other' })),
    answer: error(-32602),
  },
  {
    name: '0.3 is answered',
    body: rpc('message/send', sent03('Ada', { taskId: '$asked03' })),
    answer: result({
      ...done03('Hello, Ada!'),
      history: [{ role: 'user' }, { role: 'agent' }, { role: 'user' }],
    }),
  },
  {
    name: '0.3 no message to what has ended',
    body: rpc('message/send', sent03('Eve', { taskId: '$asked03' })),
    answer: error(-32004),
  },
  {
    name: '1.0 asks, in a stream that ends',
    headers: v1,
    body: rpc('SendStreamingMessage', sent10('greet:')),
    keep: 'asked10',
    type: 'text/event-stream',
    answer: [
      result({ task: { status: { state: 'TASK_STATE_WORKING' } } }),
      result({ statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } }),
    ],
  },
  {
    name: '1.0 shows what it waits for',
    headers: v1,
    body: rpc('GetTask', { id: '$asked10', historyLength: 0 }),
    answer: result({ status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT' } } }),
  },
  {
    name: '1.0 is answered',
    headers: v1,
    body: rpc('SendMessage', {
      ...sent10('Bo', { taskId: '$asked10' }),
      configuration: { historyLength: 1 },
    }),
    answer: result({ task: { ...done10('Hello, Bo!').task, history: [{ parts: [{ text: 'Bo' }] }] } }),
  },
  {
    name: 'simple-a2a cannot be asked',
    body: { task_id: 't', input: { text: 'greet:' } },
    answer: { status: 'error', output: null, error: 'What is your name?' },
  },
];

const streams: readonly Exchange[] = [
  {
    name: '0.3 streams',
    body: rpc('message/stream', sent03('count: 3'), 'seven'),
    keep: 'counted',
    type: 'text/event-stream',
    answer: [
      result({ kind: 'task', status: { state: 'working' } }, 'seven'),
      result({ kind: 'artifact-update', artifact: { parts: [{ text: '1' }] }, append: false }, 'seven'),
      result({ kind: 'artifact-update', artifact: { parts: [{ text: '2' }] }, append: true }, 'seven'),
      result({ kind: 'artifact-update', append: true, lastChunk: true }, 'seven'),
      result({ kind: 'status-update', status: { state: 'completed' }, final: true }, 'seven'),
    ],
  },
  {
    name: '1.0 streams',
    headers: v1,
    body: rpc('SendStreamingMessage', sent10('count: 2')),
    type: 'text/event-stream',
    answer: [
      result({ task: { status: { state: 'TASK_STATE_WORKING' } } }),
      result({ artifactUpdate: { artifact: { parts: [{ text: '1' }] }, append: false } }),
      result({ artifactUpdate: { artifact: { parts: [{ text: '2' }] }, lastChunk: true } }),
      result({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } }),
    ],
  },
  {
    name: 'what was streamed is one result',
    body: rpc('tasks/get', { id: '$counted' }),
    answer: result({ artifacts: [{ parts: [{ text: '1' }, { text: '2' }, { text: '3' }] }] }),
  },
  {
    name: 'simple-a2a gives it at once',
    body: { task_id: 't', input: { query: 'count: 3' } },
    answer: { output: { text: '1\n2\n3' } },
  },
  {
    name: 'no stream of what has ended',
    body: rpc('tasks/resubscribe', { id: '$counted' }),
    answer: error(-32004),
  },
  {
    name: 'what has ended is not canceled',
    body: rpc('tasks/cancel', { id: '$counted' }),
    answer: error(-32002),
  },
];

const failures: readonly Exchange[] = [
  {
    name: '0.3 fails',
    body: rpc('message/send', sent03('fail: no paper')),
    answer: result({ status: { state: 'failed', message: { parts: [{ text: 'no paper' }] } } }),
  },
  {
    name: 'simple-a2a fails',
    body: { task_id: 't', input: 'fail: no paper' },
    answer: { task_id: 't', status: 'error', output: null, error: 'no paper' },
  },
  { name: 'counts no words', body: { task_id: 't', input: 'count: many' }, answer: { status: 'error' } },
  { name: 'no task_id', body: { input: 'x' }, status: 400, answer: { task_id: null, status: 'error' } },
  {
    name: 'a task_id of another type',
    body: { task_id: 7, input: 'x' },
    status: 400,
    answer: { status: 'error' },
  },
  {
    name: 'input of any shape',
    body: { task_id: 't', input: { b: [1, { x: null }], a: true } },
    answer: { output: { text: '{"b":[1,{"x":null}],"a":true}' } },
  },
  { name: 'no input', body: { task_id: 't' }, answer: { output: { text: '{}' } } },
];

export const conversations: readonly Exchange[] = [...cards, ...skills, ...input, ...streams, ...failures];
