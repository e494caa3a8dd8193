import { describe, expect, it } from 'vitest';
import { markAt } from './parsed.ts';
import { problemsOf, renderProblems } from './problems.ts';
import { parseYaml } from './yaml.ts';

const options = { file: 'f.yaml', code: 'GLZ1012' } as const;
const read = (text: string | Uint8Array) => parseYaml(text, options).value;

function refusal(text: string | Uint8Array, more: object = {}): string {
  try {
    parseYaml(text, { ...options, ...more });
  } catch (thrown) {
    return renderProblems(problemsOf(thrown));
  }
  return 'nothing is wrong';
}

describe('parseYaml reads', () => {
  it.each([
    ['YAML', 'a: 1\nb: [x, "y"]\n', { a: 1, b: ['x', 'y'] }],
    ['JSON', '{"a": {"b": [1, 2.5, true, null]}}', { a: { b: [1, 2.5, true, null] } }],
    ['JSON indented with tabs', '{\n\t"a": [\n\t\t1\n\t]\n}', { a: [1] }],
    ['escapes and pairs of surrogates', '{"a": "\\ud83d\\ude00\\/\\u0007"}', { a: '😀/\u0007' }],
    ['a byte order mark', '\uFEFFa: 1', { a: 1 }],
    ['CRLF', 'a: 1\r\nb:\r\n  - 2\r\n', { a: 1, b: [2] }],
    ['nothing', '', null],
    ['nothing but comments', '# only this\n', null],
    ['a marker and nothing', '---\n', null],
    ['the directive for YAML 1.2', '%YAML 1.2\n---\na: yes\n', { a: 'yes' }],
    ['words that older YAML took for truth', 'a: [yes, no, on, off]', { a: ['yes', 'no', 'on', 'off'] }],
    ['tags for what JSON has', 'a: !!str 1', { a: '1' }],
    [
      'keys that look like numbers, as written',
      '404: a\n1.0: b\ntrue: c\n',
      { '404': 'a', '1.0': 'b', true: 'c' },
    ],
    ['the key << in quotes', '"<<": 1', { '<<': 1 }],
    [
      'numbers beyond 2^53 that come out as written',
      'a: 123456789012345680000',
      { a: 123456789012345680000 },
    ],
    ['aliases', 'a: &x {b: 1}\nc: *x\nd: [*x]', { a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }] }],
    ['mappings without values', '{a, b: 1}', { a: null, b: 1 }],
    ['keys named like methods', 'constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
  ])('%s', (_, text, value) => {
    expect(read(text)).toEqual(value);
  });

  it('bytes with a byte order mark', () => {
    expect(read(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x3a, 0x20, 0xc3, 0xa4]))).toEqual({ a: 'ä' });
  });
});

describe('parseYaml refuses', () => {
  it.each([
    ['a:\n\tb: 1\n', 'f.yaml:2:1  is indented with a tab'],
    ['{a: ${X}}', 'f.yaml:1:6  does not belong here'],
    [' a: 1\nb: 2', 'f.yaml:2:1  does not belong here'],
    ['a: b: c', 'f.yaml:1:4  is a second "key: value" on one line'],
    ['t:\n  -id: a\n   b: 1', 'f.yaml:2:3  a space is missing after the "-"'],
    ['t:\n  - id: a\n    b: 1\n  -id: c\n    b: 1', 'f.yaml:4:3  a space is missing after the "-"'],
    ['t:\n  - id: a\n  -id: c\n', 'f.yaml:3:3  a space is missing after the "-"'],
    ['a: [1, 2', 'f.yaml:1:9  a closing ] is missing, or not indented enough'],
    ['a: "x', 'f.yaml:1:4  a closing " is missing'],
    ['{"a" 1}', 'f.yaml:1:5  a ":" is missing'],
    ["a: 'it's'", 'f.yaml:1:8  does not belong here'],
    ['name: @me', 'f.yaml:1:7  begins with a character that YAML keeps for itself'],
    ['a: "\\q"', 'f.yaml:1:5  a: holds an escape that does not exist'],
    ['a: *x', 'f.yaml:1:4  a: no anchor &x stands before this alias'],
    ['a: &a [*a]', 'f.yaml:1:8  a[0]: no anchor &a stands before this alias'],
    ['a: 1\nb:\n  c: 2\n  c: 3\n', 'f.yaml:4:3  b: the key "c" stands twice'],
    ['? [a]\n: 1', 'f.yaml:1:3  a key must be text'],
    ['~: 1', 'f.yaml:1:1  a key is missing before the ":"'],
    ['<<: {a: 1}', 'f.yaml:1:1  merge keys (<<) are not read here'],
    ['__proto__: 1', 'f.yaml:1:1  "__proto__" cannot be a key'],
    ['{"a": {"__proto__": 1}}', 'f.yaml:1:8  a: "__proto__" cannot be a key'],
    ['a: .inf', 'f.yaml:1:4  a: is no finite number'],
    ['a: -.INF', 'f.yaml:1:4  a: is no finite number'],
    ['a: 12345678901234567890', 'it would become 12345678901234567000'],
    ['%YAML 1.1\n---\na: yes', 'f.yaml:1:1  is a directive that is not read here'],
    ['%TAG ! x\n---\na: 1', 'f.yaml:1:1  is a directive that is not read here'],
    ['a: !x 1', 'f.yaml:1:4  a: is a tag, which is not read here'],
    ['a: !!set {b}', 'f.yaml:1:4  a: is a tag, which is not read here'],
    ['a: !!js/function "x"', 'f.yaml:1:4  a: is a tag, which is not read here'],
    ['a: 1\n---\nb: 2', 'f.yaml:2:1  begins a second document'],
    ['a: 1\n...\n---\n', 'f.yaml:3:1  begins a second document'],
    ['a: \0', 'f.yaml:1:4  holds the control character U+0000'],
    ['a: 1\rb: 2', 'f.yaml:1:5  holds the control character U+000D'],
    [new Uint8Array([0xff, 0xfe, 0x61, 0]), 'f.yaml  is written in UTF-16'],
    [new Uint8Array([0x61, 0x3a, 0x20, 0xff]), 'f.yaml:1:4  is not text in UTF-8'],
  ])('%j', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it('what is too large', () => {
    expect(refusal('x'.repeat(2 ** 20 + 1))).toContain('f.yaml  is larger than 1048576 bytes');
  });

  it('keys that a caller does not want', () => {
    const refused = refusal('a:\n  constructor: 1', { refused_keys: ['constructor'] });
    expect(refused).toContain('f.yaml:2:3  a: "constructor" cannot be a key');
  });

  it('several things at once, at most twenty of them', () => {
    const text = Array.from({ length: 30 }, () => 'a: 1').join('\n');
    expect(refusal(text).match(/stands twice/g)).toHaveLength(20);
  });

  it('shows the line, a caret and a hint', () => {
    expect(refusal('server:\n  port: 1\n  port: 2 # again\n')).toBe(
      [
        'f.yaml:3:3  server: the key "port" stands twice',
        '     3 |   port: 2 # again',
        '       |   ^^^^  it is on line 2 already',
      ].join('\n'),
    );
  });
});

/** Of the processor, in microseconds: a clock on the wall measures what else the machine does. */
const SECOND = 1_000_000;

describe('parseYaml is not to be blown up', () => {
  const letters = 'abcdefghijklmnop'.split('');
  const laughs = letters
    .map((name, i) =>
      i === 0 ? `a: &a [${'x,'.repeat(9)}]` : `${name}: &${name} [${`*${letters[i - 1]},`.repeat(9)}]`,
    )
    .join('\n');
  const chain = Array.from({ length: 300 }, (_, i) => `k${i}: &k${i} [${i === 0 ? 1 : `*k${i - 1}`}]`).join(
    '\n',
  );
  const text = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(1000)}]`;

  it.each([
    ['aliases of aliases', laughs, 'becomes too large when its aliases are written out'],
    ['aliases of a long text', text, 'becomes too large when its aliases are written out'],
    ['aliases that nest', chain, 'f.yaml:128:14  k127[0]: nests deeper than 128 levels'],
    ['brackets', '['.repeat(100_000), 'nests deeper than 128 levels'],
    ['mappings in lists', '- '.repeat(100_000), 'nests deeper than 128 levels'],
    [
      'indentation',
      Array.from({ length: 400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      'nests deeper than 128',
    ],
    ['small parts', '- a\n'.repeat(250_000), 'more here than a file may hold'],
    ['documents', '---\n'.repeat(1000), 'begins a second document'],
    ['mistakes', ']'.repeat(50_000), 'does not belong here'],
  ])('by %s', (_, bomb, message) => {
    const before = process.cpuUsage();
    expect(refusal(bomb)).toContain(message);
    expect(process.cpuUsage(before).user).toBeLessThan(SECOND);
  });

  it('nor by many keys, which must not be compared each with each', () => {
    const many = Array.from({ length: 12_000 }, (_, i) => `k${i}: 1`).join('\n');
    const before = process.cpuUsage();
    expect(Object.keys(read(many) as object)).toHaveLength(12_000);
    expect(process.cpuUsage(before).user).toBeLessThan(SECOND);
  });

  it('goes exactly as deep as allowed', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(refusal(nested(128))).toBe('nothing is wrong');
    expect(refusal(nested(129))).toContain('nests deeper than 128 levels');
  });
});

describe('marks', () => {
  it('of an alias stand where it is, those inside it where its anchor is', () => {
    const { root } = parseYaml('a: &x\n  b: 1\nc: *x\n', options);
    expect(markAt(root, ['c'])?.value).toEqual({ start: 16, end: 18 });
    expect(markAt(root, ['c', 'b'])?.value).toEqual(markAt(root, ['a', 'b'])?.value);
  });
});
