import { type Fault, rpcError, swap, talkOf, whenAsked } from './fault.ts';

const inStream = (change: (events: string[]) => string[]): Pick<Fault, 'after'> => ({
  after: (given, asked) => {
    if (talkOf(asked, given) !== 'stream') return given;
    const events = String(given.body)
      .split('\n\n')
      .filter((event) => event !== '');
    return {
      ...given,
      body: change(events)
        .map((event) => `${event}\n\n`)
        .join(''),
    };
  },
});

export const streamFaults: readonly Fault[] = [
  {
    name: 'stream-as-json',
    about: 'It streams, and says that it sends JSON.',
    rule: 'stream-type',
    after: (given, asked) =>
      talkOf(asked, given) === 'stream'
        ? { ...given, headers: { ...given.headers, 'content-type': 'application/json' } }
        : given,
  },
  {
    name: 'stream-never-ends',
    about: 'Its streams stay open when all is said.',
    rule: 'stream-ends',
    after: (given, asked) => (talkOf(asked, given) === 'stream' ? { ...given, end: 'open' } : given),
  },
  {
    name: 'stream-without-envelope',
    about: 'The events of its streams are no answers of JSON-RPC.',
    rule: 'stream-envelope',
    ...swap('stream', /\{"jsonrpc":"2.0","id":"[^"]*","result":(.*)\}\n/, '$1\n'),
  },
  {
    name: 'stream-with-other-id',
    about: 'The events of its streams have another id than the request.',
    rule: 'stream-envelope',
    ...swap('stream', /"jsonrpc":"2.0","id":"[^"]*"/, '"jsonrpc":"2.0","id":"stream"'),
  },
  {
    name: 'stream-not-json',
    about: 'The events of its streams are no JSON.',
    rule: 'stream-json',
    ...swap('stream', /data: .*"state":"(completed|TASK_STATE_COMPLETED)".*/, 'data: [DONE]'),
  },
  {
    name: 'stream-without-task',
    about: 'Its streams do not begin with the task.',
    rule: 'stream-first',
    ...inStream((events) => events.slice(1)),
  },
  {
    name: 'stream-breaks-off',
    about: 'Its streams end before the task does.',
    rule: 'stream-last',
    ...inStream((events) => events.slice(0, -1)),
  },
  {
    name: 'stream-cut',
    about: 'Its streams are cut.',
    rule: 'stream-ends',
    after: (given, asked) => (talkOf(asked, given) === 'stream' ? { ...given, end: 'cut' } : given),
  },
  {
    name: 'stream-empty',
    about: 'There is nothing in its streams.',
    rule: 'stream-first',
    ...inStream(() => []),
  },
  {
    name: 'stream-without-final',
    about: 'On 0.3 the last event does not say that it is the last.',
    rule: 'stream-last',
    ...swap('stream', ',"final":true', ''),
  },
  {
    name: 'stream-appends-to-nothing',
    about: 'The first piece of an artifact says that it belongs to one before.',
    rule: 'stream-pieces',
    ...swap('stream', '"append":false', '"append":true'),
  },
  {
    name: 'stream-of-other-task',
    about: 'Events tell of a task that nobody asked for.',
    rule: 'stream-task',
    ...swap('stream', /"taskId":"[^"]*",("contextId":"[^"]*","(status|artifact)")/, '"taskId":"another",$1'),
  },
  {
    name: 'stream-on-other-wire',
    about: 'On 1.0 it streams the events of 0.3.',
    rule: 'stream-shape',
    ...swap('stream', /"result":\{"statusUpdate":(.*)\}\}\n/, '"result":$1}\n'),
  },
  {
    name: 'stream-without-kind',
    about: 'On 0.3 its events do not say what they are.',
    rule: 'stream-shape',
    ...swap('stream', '"kind":"status-update",', ''),
  },
  {
    name: 'stream-of-what-has-ended',
    about: 'It cannot be asked to go on with a stream.',
    rule: 'resubscribe',
    ...whenAsked(/"(tasks\/resubscribe|SubscribeToTask)"/, rpcError(-32603)),
  },
];
