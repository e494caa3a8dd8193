import { type Fault, idOf, json, page, rpcError, swap, swapIn, talkOf, whenAsked } from './fault.ts';

const sends = /"(message\/send|SendMessage)"/;

export const envelopeFaults: readonly Fault[] = [
  {
    name: 'answer-without-jsonrpc',
    about: 'Its answers lack `jsonrpc`.',
    rule: 'envelope',
    ...swap('rpc', '"jsonrpc":"2.0",', ''),
  },
  {
    name: 'answer-of-jsonrpc-1',
    about: 'Its answers say that they are JSON-RPC 1.0.',
    rule: 'envelope',
    ...swap('rpc', '"jsonrpc":"2.0"', '"jsonrpc":"1.0"'),
  },
  {
    name: 'answer-without-id',
    about: 'Its answers lack the id.',
    rule: 'answer-id',
    ...swap('rpc', /("jsonrpc":"2.0"),"id":("[^"]*"|null|\d+)/, '$1'),
  },
  {
    name: 'answer-id-as-text',
    about: 'It answers a number as id with a text.',
    rule: 'answer-id',
    ...swap('rpc', /"id":(\d+),"(result|error)/, '"id":"$1","$2'),
  },
  {
    name: 'answer-id-of-its-own',
    about: 'It gives answers an id of its own.',
    rule: 'answer-id',
    ...swap('rpc', /"jsonrpc":"2.0","id":"[^"]*"/, '"jsonrpc":"2.0","id":"answer-1"'),
  },
  {
    name: 'error-loses-id',
    about: 'Its errors have null for the id of the request.',
    rule: 'answer-id',
    ...swap('rpc', /"id":("[^"]*"|\d+),"error"/, '"id":null,"error"'),
  },
  {
    name: 'answer-with-result-and-error',
    about: 'Its answers have a result and an error that is null.',
    rule: 'envelope',
    ...swap('rpc', /("id":"[^"]*"),"result"/, '$1,"error":null,"result"'),
  },
  {
    name: 'answer-with-neither',
    about: 'Its answers have neither a result nor an error.',
    rule: 'envelope',
    ...whenAsked(sends, (asked) => json({ jsonrpc: '2.0', id: idOf(asked) })),
  },
  {
    name: 'answer-in-a-list',
    about: 'It puts its answers into lists.',
    rule: 'envelope',
    after: (given, asked) =>
      talkOf(asked, given) === 'rpc' ? { ...given, body: `[${String(given.body)}]` } : given,
  },
  {
    name: 'answer-is-a-page',
    about: 'It answers with a page for people.',
    rule: 'answer-json',
    ...whenAsked(sends, page()),
  },
  {
    name: 'answer-with-something-behind',
    about: 'Behind its answers there is a second one.',
    rule: 'answer-json',
    after: (given, asked) =>
      talkOf(asked, given) === 'rpc' ? { ...given, body: `${String(given.body)}\n{}` } : given,
  },
  {
    name: 'answer-with-mark',
    about: 'Its answers begin with a byte order mark.',
    rule: 'answer-json',
    after: (given, asked) =>
      talkOf(asked, given) === 'rpc' ? { ...given, body: `\ufeff${String(given.body)}` } : given,
  },
  {
    name: 'answer-in-latin-1',
    about: 'Its answers are not in UTF-8.',
    rule: 'answer-utf8',
    after: (given, asked) =>
      talkOf(asked, given) === 'rpc' ? { ...given, body: Buffer.from(String(given.body), 'latin1') } : given,
  },
  {
    name: 'answer-content-type',
    about: 'Its answers are sent as a page.',
    rule: 'answer-type',
    after: (given, asked) =>
      talkOf(asked, given) === 'rpc'
        ? { ...given, headers: { ...given.headers, 'content-type': 'text/html' } }
        : given,
  },
  {
    name: 'answer-cut',
    about: 'It promises more bytes than it sends.',
    rule: 'answer-whole',
    after: (given, asked) =>
      talkOf(asked, given) === 'rpc' && sends.test(asked.body) ? { ...given, end: 'cut' } : given,
  },
  {
    name: 'no-answer',
    about: 'It takes a request and never answers.',
    rule: 'answers',
    ...whenAsked(sends, { status: 200, headers: {}, body: '', end: 'open' }),
  },
];

export const errorFaults: readonly Fault[] = [
  {
    name: 'malformed-breaks-it',
    about: 'What is no JSON makes it fail.',
    rule: 'parse-error',
    after: (given) => (String(given.body).includes('-32700') ? page(500) : given),
  },
  {
    name: 'malformed-with-other-code',
    about: 'What is no JSON gets the code of something else.',
    rule: 'parse-error',
    ...swap('rpc', '-32700', '-32603'),
  },
  {
    name: 'unknown-method-with-other-code',
    about: 'A method that there is not gets the code of something else.',
    rule: 'unknown-method',
    ...swap('rpc', '-32601', '-32603'),
  },
  {
    name: 'unknown-method-is-done',
    about: 'It does the same, whatever the method is called.',
    rule: 'unknown-method',
    before: (asked) => ({
      ...asked,
      body: asked.body.replace(/"method":"(?!message|tasks|agent)[a-z][^"]*"/, '"method":"ListTasks"'),
    }),
  },
  {
    name: 'errors-with-http-status',
    about: 'It answers errors of JSON-RPC with HTTP 500.',
    rule: 'http-status',
    after: (given) => (String(given.body).includes('"error":{') ? { ...given, status: 500 } : given),
  },
  {
    name: 'any-jsonrpc-version',
    about: 'It takes requests of other versions of JSON-RPC.',
    rule: 'invalid-request',
    before: (asked) => ({ ...asked, body: asked.body.replace('"jsonrpc":"1.0"', '"jsonrpc":"2.0"') }),
  },
  {
    name: 'no-message-needed',
    about: 'It takes a request without a message.',
    rule: 'invalid-params',
    ...swap('rpc', /"error":\{"code":-32602[^}]*\}/, '"result":{}'),
  },
  {
    name: 'params-break-it',
    about: 'Wrong params get the code of an internal error.',
    rule: 'invalid-params',
    ...swap('rpc', '-32602', '-32603'),
  },
  {
    name: 'error-code-is-text',
    about: 'The codes of its errors are texts.',
    rule: 'error-object',
    ...swap('rpc', /"code":(-?\d+)/, '"code":"$1"'),
  },
  {
    name: 'error-without-message',
    about: 'Its errors say nothing.',
    rule: 'error-object',
    ...swap('rpc', /("code":-?\d+),"message":"(\\"|[^"])*"/, '$1'),
  },
  {
    name: 'error-is-text',
    about: 'Its errors are texts.',
    rule: 'error-object',
    ...swap('rpc', /"error":\{.*\}\}$/, '"error":"it went wrong"}'),
  },
  {
    name: 'error-with-stack',
    about: 'Its errors show the inside of the program.',
    rule: 'error-leak',
    ...swap(
      'rpc',
      /"message":"(Method not found)/,
      '"message":"$1\\\\n    at Object.call (/srv/agent/rpc.js:12:7)',
    ),
  },
  {
    name: 'error-without-details',
    about: 'Its errors on 1.0 have no details.',
    rule: 'error-details',
    ...swap('rpc', /,"data":\[[^\]]*\]/, ''),
  },
  {
    name: 'unknown-task-is-null',
    about: 'A task that there is not is null.',
    rule: 'task-not-found',
    ...swapIn(/"(tasks\/get|GetTask)"/, /"error":\{"code":-32001.*\}\}$/, '"result":null}'),
  },
  {
    name: 'unknown-task-with-other-code',
    about: 'A task that there is not gets the code of something else.',
    rule: 'task-not-found',
    ...swapIn(/"(tasks\/get|GetTask)"/, '-32001', '-32603'),
  },
  {
    name: 'cancel-of-unknown-task',
    about: 'It cancels tasks that there are not.',
    rule: 'cancel-unknown',
    ...swapIn(/"(tasks\/cancel|CancelTask)"/, '-32001', '-32002'),
  },
  {
    name: 'cancel-of-what-has-ended',
    about: 'It says that it canceled what had ended.',
    rule: 'cancel-ended',
    ...swapIn(/"(tasks\/cancel|CancelTask)"/, /"error":\{"code":-32002.*\}\}$/, '"result":{"kind":"task"}}'),
  },
  {
    name: 'cannot-cancel',
    about: 'It has no method to cancel.',
    rule: 'cancel-unknown',
    ...whenAsked(/"(tasks\/cancel|CancelTask)"/, rpcError(-32601)),
  },
  {
    name: 'cannot-get',
    about: 'It has no method to look at a task.',
    rule: 'task-not-found',
    ...whenAsked(/"(tasks\/get|GetTask)"/, rpcError(-32601)),
  },
];
