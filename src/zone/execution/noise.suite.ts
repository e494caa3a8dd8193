import fc from 'fast-check';

const id = '"6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d"';
const whole = `{"jsonrpc":"2.0","id":${id},"method":"execute_task","params":{"channel":"C","text":"t","bot_token":"b"}}`;

const value = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    'null',
    '1e400',
    '-0',
    '9007199254740993',
    '"\\ud800"',
    '{"__proto__":{"x":1}}',
    '[[[[]]]]',
    id,
  ),
);
const often = (usual: string) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });

/** Requests of which a member or two is not what it should be. */
const nearly = fc
  .record(
    {
      jsonrpc: often('"2.0"'),
      id: often(id),
      method: fc.oneof(
        fc.constantFrom('"execute_task"', '"get_async_task_result"', '"rpc.x"', '"toString"'),
        value,
      ),
      params: fc.oneof(
        value,
        fc.constant('{"channel":"C","text":"t","bot_token":"b"}'),
        fc.constant('{"task_id":"zone-x"}'),
      ),
    },
    { requiredKeys: [] },
  )
  .map(
    (members) =>
      `{${Object.entries(members)
        .map(([key, text]) => `"${key}":${text}`)
        .join(',')}}`,
  );

/** Texts that were cut, doubled, or changed in one place. */
const damaged = fc
  .tuple(fc.nat(whole.length), fc.nat(whole.length), fc.string({ maxLength: 4 }))
  .map(([from, to, put]) => whole.slice(0, Math.min(from, to)) + put + whole.slice(Math.max(from, to)));

/** No JSON, however much of it there is. */
const blank = fc
  .array(fc.constantFrom(' ', '\t', '\r', '\n'), { maxLength: 4 })
  .map((spaces) => spaces.join(''));

const text = fc.oneof(
  blank,
  nearly,
  damaged,
  fc.json(),
  fc.string(),
  fc.array(nearly, { maxLength: 3 }).map((list) => `[${list.join(',')}]`),
  fc.nat(400).map((depth) => '['.repeat(depth)),
  fc.nat(400).map((depth) => '{"a":'.repeat(depth)),
);

/** Whatever may come as a body. */
export const noise: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 5, arbitrary: text.map((one) => new TextEncoder().encode(one)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);
