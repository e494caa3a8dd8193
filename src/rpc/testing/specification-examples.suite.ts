import { type Example, error, nothing, result } from './example.suite.ts';

/** The specification's own, word for word. */
export const specificationExamples: readonly Example[] = [
  ['positional', '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', result(19, 1)],
  [
    'positional, other way round',
    '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    result(-19, 2),
  ],
  [
    'named',
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    result(19, 3),
  ],
  [
    'named, other way round',
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    result(19, 4),
  ],
  ['a notification', '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', nothing],
  ['a notification of an unknown method', '{"jsonrpc": "2.0", "method": "foobar"}', nothing],
  ['an unknown method', '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', error(-32601, '1')],
  ['invalid JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', error(-32700, null)],
  ['an invalid request', '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', error(-32600, null)],
  [
    'a batch of invalid JSON',
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]',
    error(-32700, null),
  ],
  ['an empty batch', '[]', error(-32600, null)],
  ['an invalid batch', '[1]', [error(-32600, null)]],
  ['an invalid batch of three', '[1,2,3]', [error(-32600, null), error(-32600, null), error(-32600, null)]],
  [
    'a batch',
    `[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]`,
    [result(7, '1'), result(19, '2'), error(-32600, null), error(-32601, '5'), result(['hello', 5], '9')],
  ],
  [
    'a batch of notifications',
    `[
        {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
    ]`,
    nothing,
  ],
];
