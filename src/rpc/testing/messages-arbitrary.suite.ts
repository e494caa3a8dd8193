import fc from 'fast-check';

/** Texts that are requests, nearly so, or not at all. Made as text, so that every way of writing a number occurs. */
const scalar = fc.constantFrom(
  ...[
    '1',
    '0',
    '-1',
    '-0',
    '1.5',
    '1.0',
    '1e2',
    '1e400',
    '9007199254740991',
    '9007199254740993',
    '12345678901234567890',
  ],
  ...[
    '"1"',
    '""',
    '"abc"',
    '"\\"\\\\\\n\\u0000"',
    '"\\ud800"',
    '"ünï"',
    '"[{"',
    'null',
    'true',
    'false',
    '{}',
    '[]',
  ],
);
const structured = fc.oneof(
  fc.constantFrom(
    '[]',
    '{}',
    '[1,2,3]',
    '{"a":{"b":[1]}}',
    '{"__proto__":{"x":1}}',
    '{"id":7}',
    '[[[[[[[[]]]]]]]]',
  ),
  fc.json({ maxDepth: 3 }),
);
const anything = fc.oneof(scalar, structured);
const method = fc.constantFrom(
  ...['echo', 'nothing', 'refuses', 'breaks', 'later', 'raw', 'foreign', 'unsayable'].map(
    (name) => `"${name}"`,
  ),
  ...['"foobar"', '""', '"__proto__"', '"constructor"', '"toString"', '"rpc.x"', '"Echo"'],
);

type Member = readonly [key: string, value: string];
const objectOf = (members: readonly Member[]) =>
  `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
/** There so many times in ten. */
const member = (key: string, value: fc.Arbitrary<string>, inTen = 8): fc.Arbitrary<readonly Member[]> =>
  fc.oneof(
    { weight: inTen, arbitrary: value.map((text) => [[key, text] as const]) },
    { weight: 10 - inTen, arbitrary: fc.constant([]) },
  );

const validRequest = fc
  .tuple(
    method,
    member('params', fc.constantFrom('[]', '{}', '[1,"a",null]', '{"a":1}')),
    member('id', scalar),
  )
  .map(([name, params, id]) => objectOf([['jsonrpc', '"2.0"'], ['method', name], ...params, ...id]));

const version = fc.constantFrom('2', '2.0', '"2"', '"2.00"', '"1.0"', '"2.0 "', '["2.0"]', 'null');

const nearlyValid = fc
  .tuple(
    member('jsonrpc', fc.oneof({ weight: 6, arbitrary: fc.constant('"2.0"') }, version), 9),
    member('method', fc.oneof({ weight: 4, arbitrary: method }, anything), 9),
    member('params', anything),
    member('id', anything),
    member('Id', scalar, 4),
    member('result', anything, 1),
    member('__proto__', structured, 1),
  )
  .chain((members) => fc.shuffledSubarray(members.flat(), { minLength: members.flat().length }))
  .map(objectOf);

const request = fc.oneof({ weight: 3, arbitrary: validRequest }, { weight: 2, arbitrary: nearlyValid });
const batchMember = fc.oneof({ weight: 6, arbitrary: request }, anything, fc.constant('[[]]'));
const batch = fc
  .tuple(fc.array(batchMember, { maxLength: 12, size: 'max' }), fc.constantFrom(',', ' , ', ',\n'))
  .map(([members, comma]) => `[${members.join(comma)}]`);
const message = fc.oneof({ weight: 4, arbitrary: request }, { weight: 2, arbitrary: batch }, anything);

/** A piece taken out, put in, or doubled. */
const mutated = fc
  .record({
    text: message,
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(6),
    piece: fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      ' ',
      '0',
      'null',
      '\u0000',
      '\ufeff',
      '"id":1,',
    ),
  })
  .map(({ text, at, length, piece }) => {
    const start = Math.floor(at * text.length);
    return text.slice(0, start) + piece + text.slice(start + length);
  });

/** One byte that no UTF-8 text has, where a text may stand. */
const brokenUtf8 = fc.tuple(message, fc.nat(50)).map(([text, at]) => {
  const bytes = Buffer.from(text);
  bytes[at % bytes.length] = 0xff;
  return bytes;
});

const deep = fc.nat(300).map((levels) => '['.repeat(levels) + ']'.repeat(levels));

export const anyMessage: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 10, arbitrary: message },
  { weight: 5, arbitrary: mutated },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: brokenUtf8 },
  { weight: 1, arbitrary: deep },
);
