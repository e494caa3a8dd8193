import type { Exchange } from '../exchange.ts';
import { done03, done10, error, reason, result, rpc, sent03, sent10, v1 } from './words.ts';

const envelopes: readonly Exchange[] = [
  { name: 'no JSON', body: '{"jsonrpc": "2.0", ', answer: error(-32700, null) },
  { name: 'nothing', body: '', answer: error(-32700, null) },
  { name: 'NaN', body: '{"jsonrpc":"2.0","id":NaN}', answer: error(-32700, null) },
  { name: 'deep JSON', body: '['.repeat(20_000), answer: error(-32700, null) },
  { name: 'a text', body: '"x"', answer: error(-32600, null) },
  { name: 'null', body: 'null', answer: error(-32600, null) },
  { name: 'an empty object', body: {}, answer: error(-32600, null) },
  { name: 'an empty batch', body: [], answer: error(-32600, null) },
  {
    name: 'version 1.0 of JSON-RPC',
    body: { ...rpc('tasks/get', {}), jsonrpc: '1.0' },
    answer: error(-32600),
  },
  { name: 'no method', body: { jsonrpc: '2.0', id: 5 }, answer: error(-32600, 5) },
  { name: 'an id that is none', body: rpc('tasks/get', {}, { a: 1 }), answer: error(-32600, null) },
  { name: 'an id of true', body: rpc('tasks/get', {}, true), answer: error(-32600, null) },
  { name: 'no id', body: { jsonrpc: '2.0', method: 'tasks/get', params: {} }, answer: error(-32602, null) },
  { name: 'an unknown method', body: rpc('tasks/sing', {}, 'x'), answer: error(-32601, 'x') },
  { name: 'a name of every object', body: rpc('constructor', {}), answer: error(-32601) },
  { name: 'params in a list', body: rpc('message/send', []), answer: error(-32602) },
  { name: 'no message', body: rpc('message/send', {}), answer: error(-32602) },
  { name: 'no parts', body: rpc('message/send', sent03('', { parts: [] })), answer: error(-32602) },
  { name: 'an empty part', body: rpc('message/send', sent03('', { parts: [{}] })), answer: error(-32602) },
  { name: 'no role', body: rpc('message/send', sent03('', { role: 'agent' })), answer: error(-32602) },
  {
    name: 'a negative historyLength',
    body: rpc('message/send', { ...sent03('x'), configuration: { historyLength: -1 } }),
    answer: error(-32602),
  },
  {
    name: 'a file',
    body: rpc('message/send', sent03('', { parts: [{ kind: 'file', file: { uri: 'x:y' } }] })),
    answer: error(-32005),
  },
  {
    name: 'data',
    body: rpc('message/send', sent03('', { parts: [{ kind: 'data', data: { text: 'upper: a' } }] })),
    answer: result(done03('A')),
  },
  {
    name: 'data that is no object, on 1.0',
    headers: v1,
    body: rpc('SendMessage', sent10('', { parts: [{ data: [1, 2] }] })),
    answer: result({ task: { ...done10('[1,2]').task, history: [{ parts: [{ data: [1, 2] }] }] } }),
  },
  {
    name: 'a part that lacks its kind',
    body: rpc('message/send', sent03('', { parts: [{ text: 'a' }, { type: 'text', text: 'b' }] })),
    answer: result(done03('a\nb')),
  },
  {
    name: 'a batch',
    body: [rpc('message/send', sent03('x'), 1), rpc('tasks/get', { id: 'none' }, 'two'), 3],
    answer: [result(done03('x')), error(-32001, 'two'), error(-32600, null)],
  },
  {
    name: 'a stream in a batch',
    body: [rpc('message/stream', sent03('x'), 1)],
    answer: [error(-32004)],
  },
  {
    name: 'another content type',
    headers: { 'Content-Type': 'text/plain' },
    body: rpc('tasks/get', {}),
    status: 415,
    answer: error(-32005, null),
  },
  {
    name: 'a content type with its characters',
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: rpc('tasks/get', { id: 'none' }),
    answer: error(-32001),
  },
];

const versions: readonly Exchange[] = [
  { name: '1.0 without a header', body: rpc('SendMessage', sent10('x')), answer: result(done10('x')) },
  {
    name: 'a patch in the header',
    headers: { 'A2A-Version': '1.0.1' },
    body: rpc('SendMessage', sent10('x')),
    answer: result(done10('x')),
  },
  {
    name: 'a version in the query',
    path: '?A2A-Version=1.0',
    body: rpc('GetTask', { id: 'none' }),
    answer: reason(-32001, 'TASK_NOT_FOUND'),
  },
  {
    name: 'an old method under the new version',
    headers: v1,
    body: rpc('message/send', sent03('x')),
    answer: reason(-32601, 'METHOD_NOT_FOUND'),
  },
  {
    name: 'a new method under the old version',
    headers: { 'A2A-Version': '0.3' },
    body: rpc('SendMessage', sent10('x')),
    answer: error(-32601),
  },
  {
    name: 'a version of the future',
    headers: { 'A2A-Version': '2.0' },
    body: rpc('SendMessage', sent10('x')),
    answer: reason(-32009, 'VERSION_NOT_SUPPORTED'),
  },
  { name: 'any path', path: 'a2a/', body: rpc('message/send', sent03('x')), answer: result(done03('x')) },
  {
    name: '0.3 has no push notifications',
    body: rpc('tasks/pushNotificationConfig/set', {}),
    answer: error(-32003),
  },
  {
    name: '1.0 has no push notifications',
    headers: v1,
    body: rpc('SendMessage', {
      ...sent10('x'),
      configuration: { taskPushNotificationConfig: { url: 'x:y' } },
    }),
    answer: reason(-32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
  },
  { name: '0.3 has one card', body: rpc('agent/getAuthenticatedExtendedCard', {}), answer: error(-32007) },
  {
    name: '1.0 has one card',
    body: rpc('GetExtendedAgentCard', {}),
    answer: reason(-32004, 'UNSUPPORTED_OPERATION'),
  },
  {
    name: 'a page of tasks',
    body: rpc('ListTasks', { pageSize: 1, status: 'TASK_STATE_FAILED' }),
    answer: result({ tasks: [{ status: { state: 'TASK_STATE_FAILED' } }], nextPageToken: '', totalSize: 1 }),
  },
  { name: 'a page too large', body: rpc('ListTasks', { pageSize: 101 }), answer: error(-32602) },
];

export const requests: readonly Exchange[] = [...envelopes, ...versions];
