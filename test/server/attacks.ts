import { type Asked, ask, JSON_HEADERS, requestText } from './ask.ts';

const MIB = 1024 * 1024;

/** Something no good client sends, and what has to come back. */
export type Attack = {
  readonly name: string;
  /** Made when it is sent: some are large. */
  readonly make: () => AttackRequest;
  /** Of the answer, which is an error in every case. */
  readonly status: number;
  readonly says: RegExp;
};

type AttackRequest = {
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

export function send(url: string, { body, headers }: AttackRequest): Promise<Asked> {
  return ask(`${url}/rpc`, { body, headers: { ...JSON_HEADERS, ...headers } });
}

function attack(
  name: string,
  { status = 200, says }: { status?: number; says: RegExp },
  make: Attack['make'],
): Attack {
  return { name, status, says, make };
}

const task = { protocol: 'echo/v1', method: 'say', params: { text: 'x' } };
const submitted = (given: object) => ({ body: requestText('task.submit', given) });
const workflow = (tasks: readonly object[]) => ({
  body: requestText('workflow.submit', { workflow: { name: 'w', tasks } }),
});
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');

const tooLarge: readonly Attack[] = [
  attack('a body of 100 MB', { status: 413, says: /the body may have \d+ bytes/ }, () => ({
    body: Buffer.alloc(100 * MIB, 0x20),
  })),
  attack('a body of 100 MB whose length is not told', { status: 413, says: /the body may have/ }, () => ({
    body: Buffer.alloc(100 * MIB, 0x20),
    headers: { 'transfer-encoding': 'chunked' },
  })),
  attack('100,000 lists in each other', { says: /nested deeper than 160 levels/ }, () => ({
    body: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  })),
  attack('params of 100,000 objects in each other', { says: /nested deeper/ }, () => ({
    body: `{"jsonrpc":"2.0","id":1,"method":"task.submit","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`,
  })),
  attack('a batch of 100,000', { says: /a batch may have 1000 members/ }, () => ({
    body: `[${Array(100_000).fill(requestText('system.info')).join(',')}]`,
  })),
  attack('a million keys in params', { says: /an object may have 100000 keys/ }, () => ({
    body: `{"jsonrpc":"2.0","id":1,"method":"task.submit","params":{${numbered(1_000_000)}}}`,
  })),
  attack('a million keys in a request', { says: /an object may have 100000 keys/ }, () => ({
    body: `{"jsonrpc":"2.0","id":1,"method":"system.info",${numbered(1_000_000)}}`,
  })),
  attack('ten million lists', { says: /all of it 2000000 keys, objects and lists/ }, () => ({
    body: `[[${'[],'.repeat(10_000_000)}[]]]`,
  })),
  attack('as many unknown keys as are looked at', { says: /unknown key \\?"k0/ }, () => ({
    body: `{"jsonrpc":"2.0","id":1,"method":"task.submit","params":{${numbered(100_000)}}}`,
  })),
  attack('100,001 tasks', { says: /holds 100001 tasks/ }, () =>
    workflow(Array.from({ length: 100_001 }, (_, index) => ({ ...task, id: `t${index}` }))),
  ),
  attack('10,001 tasks in one call', { says: /at most 10000 are taken/ }, () => ({
    body: requestText('task.submit_many', { tasks: Array(10_001).fill(task) }),
  })),
  attack('params of more than 8 MiB', { says: /has more than 8388608 characters of JSON/ }, () =>
    submitted({ ...task, params: { text: 'x'.repeat(9 * MIB) } }),
  ),
  attack('a number of a million digits', { says: /Infinity cannot be written as JSON/ }, () => ({
    body: `{"jsonrpc":"2.0","id":1,"method":"task.submit","params":{"protocol":"echo/v1","method":"say","params":{"text":1${'0'.repeat(1_000_000)}}}}`,
  })),
];

const cycle = [
  { ...task, id: 'a', dependencies: ['c'] },
  { ...task, id: 'b', dependencies: ['a'] },
  { ...task, id: 'c', dependencies: ['b'] },
];

const twisted: readonly Attack[] = [
  attack('a cycle', { says: /circle: (a → c → b → a|b → a → c → b|c → b → a → c)/ }, () => workflow(cycle)),
  attack('a cycle of 50,000', { says: /circle: t\d+ → t\d+ → / }, () =>
    workflow(
      Array.from({ length: 50_000 }, (_, index) => ({
        ...task,
        id: `t${index}`,
        dependencies: [`t${(index + 1) % 50_000}`],
      })),
    ),
  ),
  attack('a task that waits for itself', { says: /cannot wait for its own result/ }, () =>
    workflow([{ ...task, id: 'a', dependencies: ['a'] }]),
  ),
  attack('__proto__ among the params of a task', { says: /__proto__\\?" cannot be a key/ }, () => ({
    body: '{"jsonrpc":"2.0","id":1,"method":"task.submit","params":{"protocol":"echo/v1","method":"say","params":{"text":"x","__proto__":{"admin":true}}}}',
  })),
  attack('__proto__ among the fields of a task', { says: /__proto__/ }, () => ({
    body: '{"jsonrpc":"2.0","id":1,"method":"task.submit","params":{"__proto__":{"protocol":"echo/v1"},"method":"say"}}',
  })),
  attack('a method that only __proto__ has', { says: /method must be a text/ }, () => ({
    body: '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"system.info"}}',
  })),
  attack('the input of a workflow with __proto__', { says: /__proto__/ }, () => ({
    body: `{"jsonrpc":"2.0","id":1,"method":"workflow.submit","params":{"workflow":{"name":"w","tasks":[${JSON.stringify({ ...task, id: 'a' })}]},"input":{"__proto__":{"a":1}}}}`,
  })),
  attack('a protocol to be registered with __proto__', { says: /__proto__/ }, () => ({
    body: '{"jsonrpc":"2.0","id":1,"method":"protocol.register","params":{"protocol":{"name":"p/v1","methods":{"__proto__":{"params":{}}}}}}',
  })),
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'].flatMap((word) => [
    attack(`the method ${word}`, { says: /method not found/ }, () => ({ body: requestText(word) })),
    attack(`the protocol ${word}`, { says: /no protocol is called/ }, () =>
      submitted({ ...task, protocol: word }),
    ),
    attack(`the method ${word} of a protocol`, { says: /has no method/ }, () =>
      submitted({ ...task, method: word }),
    ),
    attack(`the unknown field ${word}`, { says: /unknown key|cannot be a key/ }, () => ({
      body: `{"jsonrpc":"2.0","id":1,"method":"task.submit","params":{"protocol":"echo/v1","method":"say","params":{"text":"x"},"${word}":1}}`,
    })),
  ]),
];

const foreign: readonly Attack[] = [
  attack('bytes that are no UTF-8', { says: /the bytes are no UTF-8/ }, () => ({
    body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  })),
  attack('half a message', { says: /parse error/ }, () => ({ body: '{"jsonrpc":"2.0","id":1,"meth' })),
  attack('no message', { says: /parse error/ }, () => ({ body: '' })),
  ...[
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ].map((headers) =>
    attack(
      Object.values(headers).join(', '),
      { status: 415, says: /must be application\/json in UTF-8, not compressed/ },
      () => ({ body: requestText('system.info'), headers }),
    ),
  ),
  ...['evil.example', 'evil.example:8000', 'localhost.evil.example', '169.254.169.254'].map((host) =>
    attack(`the name ${host}`, { status: 403, says: /not asked for by that name/ }, () => ({
      body: requestText('system.info'),
      headers: { host },
    })),
  ),
  ...['https://evil.example', 'null', 'http://localhost:1', 'file://'].map((origin) =>
    attack(
      `a page of ${origin}`,
      { status: 403, says: /pages of that origin may not use this server/ },
      () => ({
        body: requestText('system.info'),
        headers: { origin },
      }),
    ),
  ),
];

export const attacks: readonly Attack[] = [...tooLarge, ...twisted, ...foreign];
