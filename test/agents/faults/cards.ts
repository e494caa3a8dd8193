import { type Fault, page, rpcError, swap, whenAsked, whenFetched } from './fault.ts';

const streams = /"(message\/stream|SendStreamingMessage)"/;

export const cardFaults: readonly Fault[] = [
  {
    name: 'card-missing',
    about: 'It has no card.',
    rule: 'card-found',
    ...whenFetched(/./, page(404)),
  },
  {
    name: 'card-at-old-address',
    about: 'Its card is only at the address of A2A 0.2.',
    rule: 'card-address',
    ...whenFetched(/agent-card\.json/, page(404)),
  },
  {
    name: 'card-is-a-page',
    about: 'At the address of the card there is a page for people.',
    rule: 'card-json',
    ...whenFetched(/./, page(200)),
  },
  {
    name: 'card-content-type',
    about: 'Its card is sent as plain text.',
    rule: 'card-type',
    after: (given, { method }) =>
      method === 'GET' ? { ...given, headers: { ...given.headers, 'content-type': 'text/plain' } } : given,
  },
  {
    name: 'card-without-name',
    about: 'Its card lacks a member that every card has.',
    rule: 'card-members',
    ...swap('card', '"name":"sample-agent",', ''),
  },
  {
    name: 'card-member-of-other-type',
    about: 'A member of its card is a text where a list belongs.',
    rule: 'card-members',
    ...swap('card', '"defaultOutputModes":["text/plain"]', '"defaultOutputModes":"text/plain"'),
  },
  {
    name: 'card-with-null',
    about: 'A member of its card is null instead of left out.',
    rule: 'card-members',
    ...swap(
      'card',
      '"description":"A small agent to copy: it changes, counts and greets."',
      '"description":null',
    ),
  },
  {
    name: 'card-skill-incomplete',
    about: 'A skill of its card has no tags.',
    rule: 'card-skills',
    ...swap('card', /"tags":\["text"\],("examples":\["count)/, '$1'),
  },
  {
    name: 'card-skills-with-the-same-id',
    about: 'Two skills of its card have the same id.',
    rule: 'card-skills',
    ...swap('card', '"id":"upper"', '"id":"echo"'),
  },
  {
    name: 'card-without-address',
    about: 'Its card names no address to call.',
    rule: 'card-interfaces',
    ...swap('card', /"url":"[^"]*",?|"supportedInterfaces":\[.*?\],/, ''),
  },
  {
    name: 'card-relative-address',
    about: 'The address in its card is not a whole one.',
    rule: 'card-url',
    ...swap('card', /"url":"[^"]*"/, '"url":"/a2a"'),
  },
  {
    name: 'card-address-of-nobody',
    about: 'Nobody listens at the address in its card.',
    rule: 'card-url',
    ...swap('card', /"url":"[^"]*"/, '"url":"http://127.0.0.1:1/"'),
  },
  {
    name: 'card-without-jsonrpc',
    about: 'Its card names no address for JSON-RPC.',
    rule: 'card-transport',
    ...swap('card', /"JSONRPC"/, '"GRPC"'),
  },
  {
    name: 'card-with-version-it-does-not-speak',
    about: 'Its card says 1.0, and it speaks only 0.3.',
    rule: 'card-version',
    ...whenAsked(
      /"(SendMessage|SendStreamingMessage|GetTask|CancelTask|ListTasks|SubscribeToTask)"/,
      rpcError(-32601),
    ),
  },
  {
    name: 'card-with-old-version-it-does-not-speak',
    about: 'Its card says 0.3, and it speaks only 1.0.',
    rule: 'card-version',
    ...whenAsked(/"(message|tasks)\//, rpcError(-32601)),
  },
  {
    name: 'card-version-unreadable',
    about: 'The version in its card is none.',
    rule: 'card-version',
    ...swap('card', /"protocolVersion":"[^"]*"/, '"protocolVersion":"latest"'),
  },
  {
    name: 'card-promises-streams',
    about: 'Its card says that it streams, and it does not.',
    rule: 'card-streaming',
    ...whenAsked(streams, rpcError(-32004)),
  },
  {
    name: 'card-hides-streams',
    about: 'It streams, and its card says that it does not.',
    rule: 'card-streaming',
    ...swap('card', '"streaming":true', '"streaming":false'),
  },
  {
    name: 'card-requires-extension',
    about: 'Its card requires an extension that nobody knows.',
    rule: 'card-extensions',
    ...swap(
      'card',
      '"streaming":true',
      '"streaming":true,"extensions":[{"uri":"urn:x:odd","required":true}]',
    ),
  },
];
