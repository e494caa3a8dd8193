import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Json } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { type Checking, checkValue } from './check.ts';
import { type Finding, problemAt } from './parsed.ts';
import { problemsOf, renderProblems, sentence, throwProblems } from './problems.ts';
import { parseYaml } from './yaml.ts';

const text = Type.String();
const schema = Type.Object({
  retry_config: Type.Optional(Type.Object({})),
  retry: Type.Optional(Type.Object({}, { deprecated: true, description: 'older: write retry_config' })),
  host: Type.String({ minLength: 1, default: 'localhost' }),
  port: Type.Integer({ minimum: 0, maximum: 65535, default: 8000 }),
  share: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
  on: Type.Optional(Type.Boolean()),
  level: Type.Optional(Type.Enum(['debug', 'info', 'warn'])),
  mode: Type.Optional(Type.Union([Type.Literal('auto'), Type.Literal('lines')])),
  timeout: Type.Unsafe<number>({
    type: 'number',
    'x-unit': 'duration',
    minimum: 0.1,
    maximum: 3600,
    default: '30s',
  }),
  body: Type.Unsafe<number>({ type: 'number', 'x-unit': 'size', maximum: 2 ** 30, default: '8MiB' }),
  url: Type.Optional(Type.String({ format: 'uri' })),
  name: Type.Optional(Type.String({ pattern: '^[a-z]+$', 'x-expected': 'small letters' })),
  short: Type.Optional(Type.String({ maxLength: 3 })),
  tags: Type.Optional(Type.Array(text, { uniqueItems: true, maxItems: 3 })),
  pair: Type.Optional(Type.Array(Type.Number(), { minItems: 2 })),
  headers: Type.Optional(Type.Record(Type.String(), text)),
  labels: Type.Optional(Type.Unsafe<Json>({ type: 'object', additionalProperties: { type: 'integer' } })),
  either: Type.Optional(Type.Union([Type.Number({ minimum: 1 }), Type.Array(Type.Number())])),
  nothing: Type.Optional(Type.Union([Type.Null(), text])),
  nested: Type.Object({ deep: Type.Integer({ default: 1 }) }, { default: {} }),
  items: Type.Array(Type.Object({ id: text, size: Type.Optional(Type.Integer()) }), { default: [] }),
  store: Type.Optional(
    Type.Union([
      Type.Object({ type: Type.Literal('sqlite', { default: 'sqlite' }), path: text }),
      Type.Object({ type: Type.Literal('postgres', { default: 'postgres' }), url: text }),
    ]),
  ),
  free: Type.Optional(Type.Unsafe<Json>(true)),
}) as unknown as JsonSchema;

function check(yaml: string, more: Partial<Checking> = {}): { value: Json; findings: string[] } {
  const parsed = parseYaml(yaml, { file: 'f', code: 'GLZ1012' });
  const found: Finding[] = [];
  const value = checkValue(schema, parsed.value ?? {}, [], {
    report: (finding) => found.push(finding),
    ...more,
  });
  const findings = found.map((finding) => {
    const problem = problemAt(parsed, finding);
    const { line, column, path, hint } = problem;
    return `${line}:${column} ${path}: ${sentence(problem)}${hint === null ? '' : ` (${hint})`}`;
  });
  return { value, findings };
}

const defaults = {
  host: 'localhost',
  port: 8000,
  timeout: 30,
  body: 8 * 2 ** 20,
  nested: { deep: 1 },
  items: [],
};

describe('checkValue', () => {
  it('says how a list is written where a mapping stands', () => {
    const { findings } = check('items: {a: {id: x}}');
    expect(findings).toEqual([
      '1:8 items: must be a list, found a mapping (write it as a list: each item on a line of its own that begins with "- ")',
    ]);
    expect(check('tags: a').findings.join()).toContain('write it as a list: [a]');
    expect(check('tags: a]').findings.join()).toContain('write it as a list: [a])');
  });

  it('fills in defaults, also nested ones, and reads their units', () => {
    expect(check('')).toEqual({ value: defaults, findings: [] });
  });

  it('takes a section without lines for one left out', () => {
    expect(check('nested:\nitems:\nhost: h\n')).toEqual({ value: { ...defaults, host: 'h' }, findings: [] });
  });

  it.each([
    ['timeout: 5', { timeout: 5 }],
    ['timeout: 250ms', { timeout: 0.25 }],
    ['timeout: PT1M', { timeout: 60 }],
    ['body: 100', { body: 100 }],
    ['body: 1.5KiB', { body: 1536 }],
    ['body: 2 MB', { body: 2_000_000 }],
    ['store: {path: x}', { store: { type: 'sqlite', path: 'x' } }],
    ['store: {url: x}', { store: { type: 'postgres', url: 'x' } }],
    ['store: {type: postgres, url: x}', { store: { type: 'postgres', url: 'x' } }],
    ['headers: {X-Any: a}', { headers: { 'X-Any': 'a' } }],
    ['labels: {a: 1}', { labels: { a: 1 } }],
    ['either: [1, 2]', { either: [1, 2] }],
    ['either: 2', { either: 2 }],
    ['nothing: null', { nothing: null }],
    ['free: {any: [thing]}', { free: { any: ['thing'] } }],
    ['share: 0.5', { share: 0.5 }],
    ['mode: lines', { mode: 'lines' }],
    ['url: http://x/', { url: 'http://x/' }],
  ])('accepts %s', (yaml, value) => {
    expect(check(yaml)).toEqual({ value: { ...defaults, ...value }, findings: [] });
  });

  it.each([
    ['retries: 3', '1:1 retries: unknown key "retries" (did you mean "retry_config"?)'],
    ['prot: 1', '1:1 prot: unknown key "prot" (did you mean "port"?)'],
    ['nested:\n  deeep: 1', '2:3 nested.deeep: unknown key "deeep" (did you mean "deep"?)'],
    ['nested: {zzz: 1}', '1:10 nested.zzz: unknown key "zzz" (known keys: deep)'],
    ['port: "80"', '1:7 port: must be a whole number from 0 to 65535, found "80" (write it without quotes)'],
    ['port: eighty', '1:7 port: must be a whole number from 0 to 65535, found "eighty"'],
    ['port: 80.5', '1:7 port: must be a whole number from 0 to 65535, found 80.5'],
    ['port: 70000', '1:7 port: must be a whole number from 0 to 65535, found 70000'],
    [
      'port:',
      '1:6 port: must be a whole number from 0 to 65535, found nothing (leave the key out, or give it a value)',
    ],
    ['port: [1]', '1:7 port: must be a whole number from 0 to 65535, found a list'],
    ['port: {a: 1}', '1:7 port: must be a whole number from 0 to 65535, found a mapping'],
    ['share: 1', '1:8 share: must be a number, found 1'],
    ['host: ""', '1:7 host: must be text that is not empty, found ""'],
    ['host: 1', '1:7 host: must be text that is not empty, found 1 (put it in quotes)'],
    ['short: long', '1:8 short: must be text of 0 to 3 characters, found "long"'],
    ['on: yes', '1:5 on: must be true or false, found "yes"'],
    ['on: "true"', '1:5 on: must be true or false, found "true" (write it without quotes)'],
    ['level: inof', '1:8 level: must be one of debug, info, warn, found "inof" (did you mean "info"?)'],
    ['level: 3', '1:8 level: must be one of debug, info, warn, found 3'],
    ['mode: atuo', '1:7 mode: must be one of auto, lines, found "atuo" (did you mean "auto"?)'],
    [
      'timeout: fast',
      'must be a duration such as 30s from 100ms to 1h, found "fast" (write a number of seconds',
    ],
    ['timeout: 1ms', '1:10 timeout: must be a duration such as 30s from 100ms to 1h, found "1ms"'],
    ['body: 8 Mebi', 'must be a size such as 8MiB of at most 1GiB, found "8 Mebi" (write a number of bytes'],
    ['body: 2GiB', '1:7 body: must be a size such as 8MiB of at most 1GiB, found "2GiB"'],
    ['body: [1]', 'must be a size'],
    ['url: nowhere', '1:6 url: must be a URL, found "nowhere"'],
    ['name: ABC', '1:7 name: must be small letters, found "ABC"'],
    ['tags: a', '1:7 tags: must be a list of 0 to 3, found "a"'],
    ['tags: [a, b, a]', '1:14 tags[2]: stands twice in this list'],
    ['tags: [a, b, c, d]', '1:7 tags: must be a list of 0 to 3, found a list'],
    ['pair: [1]', '1:7 pair: must be a list of at least 2, found a list'],
    ['headers: {a: 1}', '1:14 headers.a: must be text, found 1 (put it in quotes)'],
    ['labels: {a: x}', '1:13 labels.a: must be a whole number, found "x"'],
    ['either: 0', '1:9 either: must be a number of at least 1 or a list, found 0'],
    ['either: [a]', '1:10 either[0]: must be a number, found "a"'],
    ['items: [{size: 1}]', '1:9 items[0].id: is missing (it is text)'],
    ['items:\n  - id: a\n  - size: 1', '3:5 items[1].id: is missing (it is text)'],
    [
      'store: {type: mysql}',
      '1:15 store.type: must be one of sqlite, postgres, found "mysql" (one of: sqlite, postgres)',
    ],
    ['store:\n  type: sqlite\n  url: x', '3:3 store.url: unknown key "url" (known keys: type, path)'],
    ['store: x', '1:8 store: must be a mapping (key: value), found "x"'],
    ['nested: 3', '1:9 nested: must be a mapping (key: value), found 3'],
  ])('refuses %j', (yaml, finding) => {
    expect(check(yaml).findings).toContainEqual(expect.stringContaining(finding));
  });

  it('reports everything at once', () => {
    expect(check('port: x\nhots: 1\nstore: {type: sqlite}\n').findings).toHaveLength(3);
  });

  it('gives text from the environment the type that the schema wants, and never shows it', () => {
    const isLoose = () => true;
    expect(check('port: "9000"\non: "true"\ntimeout: "5"\nhost: "1"', { isLoose }).value).toMatchObject({
      port: 9000,
      on: true,
      timeout: 5,
      host: '1',
    });
    expect(check('port: s3cret', { isLoose }).findings).toEqual([
      '1:7 port: must be a whole number from 0 to 65535',
    ]);
    expect(check('on: "1"', { isLoose }).findings).toHaveLength(1);
  });

  it('refuses schemas with words that it would not keep', () => {
    const checking = { report: () => {} };
    expect(() => checkValue({ type: 'string', contentEncoding: 'base64' }, 'a', [], checking)).toThrow(
      'a schema for files uses "contentEncoding", which is not checked there',
    );
  });

  it('knows schemas that are only true or false', () => {
    const found: Finding[] = [];
    const checking = { report: (finding: Finding) => found.push(finding) };
    expect(checkValue(true, 'a', [], checking)).toBe('a');
    checkValue(false, 'a', ['x'], checking);
    expect(found).toMatchObject([{ path: ['x'], message: 'must be nothing', found: '"a"' }]);
  });

  it('resolves paths where it is told how', () => {
    const resolve = (written: string) => `/base/${written}`;
    expect(checkValue({ type: 'string', 'x-path': true }, 'a', [], { report: () => {}, resolve })).toBe(
      '/base/a',
    );
    expect(checkValue({ type: 'string', 'x-path': true }, 'a', [], { report: () => {} })).toBe('a');
  });
});

describe('problems', () => {
  it('do not show what stands under a key that looks secret', () => {
    const parsed = parseYaml('api_key: 12345\nlist:\n  - {password: 9876, x: 1}\n', {
      file: 'f',
      code: 'GLZ1012',
    });
    const findings: Finding[] = [
      { path: ['api_key'], part: 'value', message: 'must be text', found: '12345' },
      { path: ['list', 0, 'password'], part: 'value', message: 'must be text', found: '9876' },
    ];
    for (const finding of findings) {
      const problem = problemAt(parsed, finding);
      let shown = '';
      try {
        throwProblems([problem]);
      } catch (thrown) {
        shown = renderProblems(problemsOf(thrown)) + String(thrown) + JSON.stringify(thrown);
      }
      expect(shown).toContain('must be text');
      expect(shown).not.toMatch(/12345|9876/);
    }
  });
});
