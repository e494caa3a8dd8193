import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../core/json.ts';
import { headline, problemsOf } from './problems.ts';
import { parseYaml } from './yaml.ts';

function told(text: string): string[] {
  try {
    parseYaml(text, { file: 'f', code: 'GLZ1002' });
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map((problem) => headline(problem).replace('f:', ''));
  }
}

describe('a quote that is not closed is told where it begins', () => {
  it.each([
    ['at the end', 'a: "x', '1:4  a closing " is missing'],
    ['with lines after it', 'a: "x\nb: 1\nc: 2\n', '1:4  a closing " is missing'],
    ['with other quotes after it', 'a: "x\nb: "y"\nc: 1\n', '1:4  a closing " is missing'],
    ['single, with other quotes after it', "a: 'x\nb: 1\nc: 'y'\n", "1:4  a closing ' is missing"],
    ['single, in a list of tasks', "t:\n  - id: 'a\n    p: x\n  - id: c\n", "2:9  a closing ' is missing"],
    ['of a key', '"a: 1\nb: 2', '1:1  a closing " is missing'],
    ['with nothing after it but an escaped one', 'a: "x\\"', '1:4  a: a closing " is missing'],
    ['single, with nothing after it but a doubled one', "a: 'x''\nb: 'y'", "1:4  a: a closing ' is missing"],
    ['in flow', '["a", "b]', '1:7  a closing " is missing'],
    ['in JSON, on one line', '{"a": "x, "b": 2}', '1:7  a closing " is missing'],
    ['in JSON, over lines', '{\n  "a": "x,\n  "b": 2\n}', '2:8  a closing " is missing'],
    ['of a key in JSON', '{\n  "a: 1,\n  "b": 2\n}', '2:3  a closing " is missing'],
    ['single, in flow', "{a: 'x, b: 'y'}", "1:5  a closing ' is missing"],
  ])('%s', (_, text, expected) => {
    expect(told(text)).toEqual([expected]);
  });
});

describe('what is missing between two values is told where it should stand', () => {
  it.each([
    ['after a number', '{"a": 1 "b": 2}', '1:8  a "," is missing'],
    ['at the end of a line', '{\n  "a": 1\n  "b": 2\n}', '2:9  a "," is missing'],
    ['at the end of a line with a comment', '{\n  "a": 1 # one\n  "b": 2\n}', '2:9  a "," is missing'],
    ['in JSON without spaces', '{"a":1 "b":2}', '1:7  a: a "," is missing'],
    ['after a text', '{"a": "x" "b": 2}', '1:10  a "," is missing'],
    ['after a word', '{a: one two: 2}', '1:8  a "," is missing'],
    ['after a list', '{"a": [1] "b": 2}', '1:10  a "," is missing'],
    ['after a mapping', '[{"a": 1} {"b": 2}]', '1:10  a "," is missing'],
    ['after an empty mapping', '{"a": {}\n"b": 2}', '1:9  a "," is missing'],
    ['between texts', '["a"\n"b"]', '1:5  a "," is missing'],
    ['in a list of pairs', '[a: 1 b: 2]', '1:6  a "," is missing'],
    ['in flow within a block', 'a:\n  - {b: "c" d: 1}\n', '2:12  a "," is missing'],
    ['after a key', '{"a" 1}', '1:5  a ":" is missing'],
    ['after a key, before a mapping', '{"a" {"b": 1}}', '1:5  a ":" is missing'],
    ['after a key without a value', '{"a" "b": 1}', '1:5  a "," is missing'],
  ])('%s', (_, text, expected) => {
    expect(told(text)).toEqual([expected]);
  });

  it('but an earlier mistake of another kind is told instead', () => {
    expect(told('a: [1,, 2]\nb: {"c": 1 "d": 2}\n')).toEqual(['1:7  does not belong here']);
  });

  it('wherever it is taken out of JSON', () => {
    const values = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(values, fc.nat(), fc.constantFrom(undefined, 2), (value, pick, indent) => {
        const text = JSON.stringify([{ first: value, last: 1 }, { more: value }], null, indent);
        // Outside of quotes; a plain word takes the next one in, so only what ends in a sign is certain to be seen.
        const commas = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[^"]/g)].filter(
          ({ 0: sign, index }) => sign === ',' && /["\]}]/.test(text[index - 1] ?? ''),
        );
        const at = commas[pick % commas.length]?.index ?? 0;
        const before = text.slice(0, at);
        const place = `${before.split('\n').length}:${at - before.lastIndexOf('\n')}`;
        expect(told(`${before} ${text.slice(at + 1)}`)).toEqual([`${place}  a "," is missing`]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('what is no JSON does not hide the rest', () => {
  it('of a file that can be read', () => {
    expect(told('a: .inf\nb: !x 1\nc: "\\q"\nd: *y\na: 2\n')).toEqual([
      '1:4  a: is no finite number',
      '2:4  b: is a tag, which is not read here',
      '3:5  c: holds an escape that does not exist',
      '4:4  d: no anchor &y stands before this alias',
      '5:1  the key "a" stands twice',
    ]);
  });

  it('and is told of what stands before the place where reading ends', () => {
    expect(told('a: !x 1\nb: [1, 2\nc: !y 3\n')).toEqual([
      '1:4  is a tag, which is not read here',
      '3:1  a closing ] is missing, or not indented enough',
    ]);
  });

  it('inside what stands twice either, whose anchors count', () => {
    expect(told('a: 1\na: [&x .nan]\nb: *x\n')).toEqual([
      '2:1  the key "a" stands twice',
      '2:8  a[0]: is no finite number',
    ]);
  });
});
