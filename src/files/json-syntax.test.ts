import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../core/json.ts';
import { headline, problemsOf } from './problems.ts';
import { parseYaml } from './yaml.ts';

function told(text: string | Uint8Array, file = 'f.json'): string[] {
  try {
    parseYaml(text, { file, code: 'GLZ1002' });
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map((problem) => headline(problem).replace(`${file}:`, ''));
  }
}

function hints(text: string): (string | null)[] {
  try {
    parseYaml(text, { file: 'f.JSON', code: 'GLZ1002' });
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map(({ hint }) => hint);
  }
}

describe('a file named .json is JSON and nothing else', () => {
  it.each([
    ['a comma after the last pair', '{"a": 1,\n}', '1:8  a "," stands before the closing "}"'],
    ['a comma after the last item', '[1, 2, ]', '1:6  a "," stands before the closing "]"'],
    ['a comma before the first', '[, 1]', '1:2  must be a value, found ","'],
    ['two commas', '[1,, 2]', '1:4  must be a value, found ","'],
    ['a comment to the end of the line', '{\n  // note\n  "a": 1}', '2:3  JSON has no comments'],
    ['a comment in stars', '{"a": /* one */ 1}', '1:7  JSON has no comments'],
    ['a comment of YAML', '{"a": 1} # one', '1:10  JSON has no comments'],
    [
      'a key without quotes',
      '{\n  name: 1}',
      '2:3  must be a key in double quotes, found a word without quotes',
    ],
    [
      'a key in single quotes',
      "{'a': 1}",
      '1:2  must be a key in double quotes, found text in single quotes',
    ],
    ['a number as a key', '{1: 2}', '1:2  must be a key in double quotes, found a number'],
    ['text in single quotes', '{"a": \'x\'}', '1:7  must be a value, found text in single quotes'],
    ['a word', '{"a": bees}', '1:7  must be a value, found a word without quotes'],
    ['a truth value of another language', '{"a": True}', '1:7  must be a value, found a word without quotes'],
    ['a number with a zero before it', '{"a": 012}', '1:7  is no number of JSON, found zeros before it'],
    ['a number with a plus', '[+1]', '1:2  is no number of JSON, found a "+" before it'],
    [
      'a number without digits before the point',
      '[.5]',
      '1:2  is no number of JSON, found no digit before the "."',
    ],
    [
      'a number without digits after the point',
      '[5.]',
      '1:2  is no number of JSON, found no digit after the "."',
    ],
    ['a hexadecimal number', '[0x1F]', '1:2  is no number of JSON, found a number that is not decimal'],
    ['something with digits', '[1h30m]', '1:2  is no number of JSON, found letters in it'],
    ['no number', '[-Infinity]', '1:2  must be a value, found a word without quotes'],
    ['a missing comma', '{"a": 1 "b": 2}', '1:8  a "," is missing'],
    ['a missing comma at the end of a line', '{\n  "a": {}\n  "b": 2\n}', '2:10  a "," is missing'],
    ['a missing colon', '{"a" 1}', '1:5  a ":" is missing'],
    ['a key alone', '{"a"}', '1:5  a ":" is missing'],
    ['a value that is missing', '{"a": }', '1:7  must be a value, found "}"'],
    ['a quote that is missing', '{\n  "a": "x,\n  "b": 2\n}', '2:8  a closing " is missing'],
    ['a quote that is missing on one line', '{"a": "x, "b": 2}', '1:7  a closing " is missing'],
    ['a tab in a text', '["a\tb"]', '1:4  a text holds a tab'],
    ['an escape of another language', '["a\\x41"]', '1:4  holds an escape that JSON does not have'],
    ['an escape that is cut short', '["\\u12"]', '1:3  holds an escape that JSON does not have'],
    ['a bracket that is never closed', '{"a": [1, 2', '1:7  is never closed, found the end of the file'],
    ['the wrong bracket', '{"a": [1}', '1:9  must be a "," or the closing "]", found "}"'],
    ['a bracket too many', '{"a": 1}}', '1:9  must be the end of the file, found "}"'],
    ['two values', '{}\n{}', '2:1  must be the end of the file, found "{"'],
    ['YAML', 'name: x\ntasks: []\n', '1:1  must be a value, found a word without quotes'],
    ['a block of YAML', '---\n{}', '1:1  must be a value, found "-"'],
    ['nothing', '', '1:1  must be a value, found the end of the file'],
    ['spaces', '  \n ', '2:2  must be a value, found the end of the file'],
  ])('%s', (_, text, expected) => {
    expect(told(text)).toEqual([expected]);
  });

  it('says what to write instead', () => {
    expect(hints('{"a": 1,}')).toEqual(['leave it out, or name the file .yaml']);
    expect(hints('{"a": 1 // x\n}')).toEqual(['leave it out, or name the file .yaml']);
    expect(hints('{name: 1}')).toEqual(['write "name", or name the file .yaml']);
    expect(hints("{'a': 1}")).toEqual(['text stands in double quotes, or name the file .yaml']);
    expect(hints('[None]')).toEqual(['write null']);
    expect(hints('[True]')).toEqual(['write true']);
    expect(hints('[NaN]')).toEqual(['JSON has finite numbers only; put it in double quotes if it is text']);
    expect(hints('[bees]')).toEqual(['put text in double quotes, or name the file .yaml']);
    expect(hints('["\\x41"]')).toEqual(['write \\\\ for a backslash, \\u0041 for a character by its number']);
  });

  it('does not show a value: it may be a secret', () => {
    expect(JSON.stringify(told('{"api_key": hunter2}'))).not.toContain('hunter2');
  });

  it('but a file of another name may be written as YAML has it', () => {
    for (const text of ['{"a": 1,}', '{a: 1}', "{'a': 1} # one"]) {
      expect(parseYaml(text, { file: 'f.yaml', code: 'GLZ1002' }).value).toEqual({ a: 1 });
    }
  });

  it('still refuses a key that stands twice', () => {
    expect(told('{"a": 1, "a": 2}')).toEqual(['1:10  the key "a" stands twice']);
  });
});

/** JSON text with spaces wherever they may stand, and escapes where they need not. */
const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.infiniteStream(fc.constantFrom('', '', ' ', '\n', '\t', '\r\n')))
  .map(([value, spaces]) =>
    JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"|[^"]/g, (word) => {
      const isSign = /^[[\]{},:]$/.test(word);
      return isSign ? `${spaces.next().value}${word}${spaces.next().value}` : word;
    }),
  )
  .filter((text) => !text.includes('"__proto__"'));

const signs = [
  '"',
  "'",
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '0',
  '1',
  '-',
  '.',
  'e',
  'true',
  'n',
  '\\',
  '#',
  '/',
  ' ',
];

describe('any text', { timeout: 60_000 }, () => {
  it('that is JSON is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        expect(parseYaml(text, { file: 'f.json', code: 'GLZ1002' }).value).toEqual(JSON.parse(text) as Json);
      }),
      { numRuns: 500 },
    );
  });

  it('that JSON.parse refuses is refused, at a place in it', () => {
    const damaged = fc
      .tuple(spaced, fc.nat(), fc.constantFrom(0, 1), fc.constantFrom('', ...signs))
      .map(([text, pick, cut, put]) => {
        const at = pick % (text.length + 1);
        return text.slice(0, at) + put + text.slice(at + cut);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const found = told(text);
        // What we refuse besides: keys twice, numbers that cannot be kept, lines that end with CR.
        if (isJson) return found.every((line) => /stands twice|cannot be|no finite|U\+000D/.test(line));
        const place = /^(\d+):(\d+) /.exec(found[0] ?? '');
        const line = text.split('\n')[Number(place?.[1]) - 1];
        return found.length === 1 && line !== undefined && Number(place?.[2]) <= line.length + 1;
      }),
      { numRuns: 2000 },
    );
  });

  it('however deep or long it is', () => {
    for (const part of ['x', '\\n', '\\\\', 'é']) {
      const text = `["${part.repeat(400_000 / part.length)}"]`;
      expect(told(text)).toEqual([]);
      expect(told(text.slice(0, -2))).toEqual(['1:2  a closing " is missing']);
    }
    expect(told('['.repeat(200_000))).toHaveLength(1);
    expect(told(`${'['.repeat(5000)}${']'.repeat(5000)}`)[0]).toMatch(/nests deeper/);
  });
});

describe('half a character', () => {
  it.each([
    ['in JSON', 'f.json', '{"a": "x \\ud800 y"}', '1:10  a: half a character stands alone, found \\ud800'],
    ['the second half', 'f.json', '["\\udc00"]', '1:3  [0]: half a character stands alone, found \\udc00'],
    [
      'the wrong way round',
      'f.json',
      '["\\uDE00\\uD83D"]',
      '1:3  [0]: half a character stands alone, found \\ude00',
    ],
    ['in a key', 'f.json', '{"k\\ud800": 1}', '1:4  half a character stands alone, found \\ud800'],
    ['in YAML', 'f.yaml', 'a:\n  - "x\\ud800"\n', '2:7  a[0]: half a character stands alone, found \\ud800'],
  ])('is refused where it stands: %s', (_, file, text, expected) => {
    expect(told(text, file)).toEqual([expected]);
  });

  it('but two halves that belong together are a character', () => {
    expect(parseYaml('["\\ud83d\\ude00"]', { file: 'f.json', code: 'GLZ1002' }).value).toEqual(['😀']);
  });
});

describe('bytes that are no UTF-8', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  it.each([
    ['at the beginning', bytes([0xe9]), '1:1'],
    ['in a later line', bytes('a: 1\nb: caf', [0xe9], '\n'), '2:7'],
    ['after characters of several bytes', bytes('a: é😀', [0xff]), '1:7'],
    ['cut short at the end', bytes('a: x', [0xe2, 0x82]), '1:5'],
    ['a character written too long', bytes('a: ', [0xc0, 0xaf]), '1:4'],
    ['half a character', bytes('a: ', [0xed, 0xa0, 0x80]), '1:4'],
    ['after a mark of order', bytes([0xef, 0xbb, 0xbf], 'a: ', [0x80]), '1:4'],
  ])('are told with the place of the first: %s', (_, content, place) => {
    expect(told(content, 'f.yaml')[0]).toMatch(
      new RegExp(`^${place}  is not text in UTF-8, found the byte 0x`),
    );
  });
});
