import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplate } from './reference-syntax.ts';
import { thrownBy } from './thrown.suite.ts';

const ref = (inner: string) => `\${${inner}}`;
const path = (head: string, ...segments: (string | number)[]) => ({ kind: 'path', head, path: segments });
const literal = (value: unknown) => ({ kind: 'literal', value });

/** The only expression of a text. */
function expression(inner: string) {
  const [only, ...rest] = parseTemplate(ref(inner));
  expect(rest).toEqual([]);
  return only;
}

describe('a text with references', () => {
  it.each([
    ['a.result', path('a', 'result')],
    ['search-task.result.results', path('search-task', 'result', 'results')],
    ['Echo Task.result', path('Echo Task', 'result')],
    ['  a.result  ', path('a', 'result')],
    ['a .result', path('a', 'result')],
    ['a[0]', path('a', 0)],
    ['a.result.items[12].name', path('a', 'result', 'items', 12, 'name')],
    ['a.result["odd key"]', path('a', 'result', 'odd key')],
    ['a.result["q\\"]}\\u0041"]', path('a', 'result', 'q"]}A')],
    ['a.result[""]', path('a', 'result', '')],
    ['a.result.@type', path('a', 'result', '@type')],
    ['a.result.größe.名', path('a', 'result', 'größe', '名')],
    ['a.result.0', path('a', 'result', '0')],
    ['What??.result', path('What??', 'result')],
    ["Bob's task.result", path("Bob's task", 'result')],
    ['"odd.id [1]".result', path('odd.id [1]', 'result')],
    ['HOME', path('HOME')],
    ['a', path('a')],
  ])('reads %s', (inner, expected) => {
    expect(expression(inner)).toMatchObject([expected]);
  });

  it.each([
    ['a.result ?? 5', literal(5)],
    ['a.result??5', literal(5)],
    ['a.result ?? -1.5e3', literal(-1500)],
    ['a.result ?? 1E+2', literal(100)],
    ['a.result ?? 0', literal(0)],
    ['a.result ?? true', literal(true)],
    ['a.result ?? false', literal(false)],
    ['a.result ?? null', literal(null)],
    ['a.result ?? "text"', literal('text')],
    ['a.result ?? "a } b \\" c"', literal('a } b " c')],
    ['a.result ?? "${b.result}"', literal('${b.result}')],
    ['a.result ?? {}', literal({})],
    ['a.result ?? {"x": {"y": "}]"}, "z": [1, 2]}', literal({ x: { y: '}]' }, z: [1, 2] })],
    ['a.result ?? ["\\\\", []]', literal(['\\', []])],
    ['a.result ?? b.result.x', path('b', 'result', 'x')],
    ['a.result ?? 1.result', path('1', 'result')],
    ['a.result ?? 2nd task.result', path('2nd task', 'result')],
    ['a.result ?? true-story.result', path('true-story', 'result')],
    ['a.result ?? -x.result', path('-x', 'result')],
    ['a.result ?? "b c".result', path('b c', 'result')],
    ['a.result ?? "b c"[0]', path('b c', 0)],
    ['a.result ?? 1\t', literal(1)],
    ['a.result ?? 1\r\n', literal(1)],
  ])('reads the default of %s', (inner, expected) => {
    expect(expression(inner)).toMatchObject([path('a', 'result'), expected]);
  });

  it('ends an id at a space and two question marks', () => {
    expect(expression('a ?? 1')).toMatchObject([path('a'), literal(1)]);
    expect(expression('a ?b.result')).toMatchObject([path('a ?b', 'result')]);
    expect(expression('a x??y.result')).toMatchObject([path('a x??y', 'result')]);
  });

  it('reads chains', () => {
    expect(expression('a.result ?? b.result ?? 1')).toMatchObject([
      path('a', 'result'),
      path('b', 'result'),
      literal(1),
    ]);
    const long = Array.from({ length: 16 }, (_, i) => `t${i}.result`).join(' ?? ');
    expect(expression(long)).toHaveLength(16);
  });

  it('keeps the text around and between', () => {
    expect(parseTemplate(`a ${ref('x.result')} b${ref('y.result')}${ref('z.result')}`)).toMatchObject([
      'a ',
      [path('x', 'result')],
      ' b',
      [path('y', 'result')],
      [path('z', 'result')],
    ]);
    expect(parseTemplate('no reference, $5, {x}')).toEqual(['no reference, $5, {x}']);
    expect(parseTemplate('')).toEqual([]);
  });

  it.each([
    ['$${a.result}', ['${a.result}']],
    ['$${', ['${']],
    ['$$${', ['$${']],
    ['a$${b$${c', ['a${b${c']],
    ['$$', ['$$']],
  ])('writes %s as text', (text, parts) => {
    expect(parseTemplate(text)).toEqual(parts);
  });

  it('escapes only with a dollar that is not part of something else', () => {
    expect(parseTemplate('$${${a.result}')).toMatchObject(['${', [path('a', 'result')]]);
    expect(parseTemplate('${a.result}$${b}')).toMatchObject([[path('a', 'result')], '${b}']);
    expect(parseTemplate('$ ${a.result}')).toMatchObject(['$ ', [path('a', 'result')]]);
  });

  it('says where each reference stands', () => {
    expect(parseTemplate('x ${ a.result.y ?? "b".result }')).toEqual([
      'x ',
      [
        { kind: 'path', head: 'a', path: ['result', 'y'], start: 5, end: 15 },
        { kind: 'path', head: 'b', path: ['result'], start: 19, end: 29 },
      ],
    ]);
  });
});

describe('a malformed reference', () => {
  it.each([
    ['${', 1, 'never closed with }', '"${"'],
    ['x ${a.result', 3, 'never closed with }', '"${a.result"'],
    ['${a.result ?? b', 1, 'never closed with }', '"${a.result ?? b"'],
    ['${a.result ?? 5', 1, 'never closed with }', '"${a.result ?? 5"'],
    ['${}', 3, 'the name of a task is missing', '"}"'],
    ['${ .result}', 4, 'the name of a task is missing', '".result}"'],
    ['${a.result ?? }', 15, 'the name of a task is missing', '"}"'],
    ['${a ?? 1}${', 10, 'never closed with }', '"${"'],
    ['${a\nb.result}', 4, 'cannot stand in a task id', '"\\nb.result}"'],
    ['${a{b.result}', 4, 'cannot stand in a task id', '"{b.result}"'],
    ['${a"b".result}', 4, 'cannot stand in a task id', '"\\"b\\".result}"'],
    ['${"a"}', 3, 'text in quotes is no reference', '"\\"a\\"}"'],
    ['${"a', 3, 'the quoted text is never closed', '"\\"a"'],
    ['${a.result.}', 12, 'a key is missing after the dot', '"}"'],
    ['${a..b}', 5, 'a key is missing after the dot', '".b}"'],
    ['${a.result.b c}', 14, 'cannot go on like this', '"c}"'],
    ['${a.result.map(x)}', 15, 'cannot go on like this', '"(x)}"'],
    ['${a.result ? 1}', 12, 'cannot go on like this', '"? 1}"'],
    ['${a.result[x]}', 12, 'a whole number or a key in double quotes', '"x]}"'],
    ['${a.result[-1]}', 12, 'a whole number or a key in double quotes', '"-1]}"'],
    ['${a.result[]}', 12, 'a whole number or a key in double quotes', '"]}"'],
    ['${a.result[1', 13, 'the bracket is not closed here', 'the end of the text'],
    ['${a.result[1.5]}', 13, 'the bracket is not closed here', '".5]}"'],
    ['${a.result[1234567890123456]}', 27, 'the bracket is not closed here', '"6]}"'],
    ['${a.result["x}', 12, 'the quoted text is never closed', '"\\"x}"'],
    ['${a.result["\\x"]}', 12, 'this is not valid JSON', '"\\"\\\\x\\"]}"'],
    ["${a.result ?? 'x'}", 15, 'text stands in double quotes', '"\'x\'}"'],
    ['${a.result ?? none}', 15, 'neither a reference nor a JSON value', '"none}"'],
    ['${a.result ?? 007}', 15, 'this is not valid JSON', '"007}"'],
    ['${a.result ?? {"a": 1}', 1, 'never closed with }', '"${a.result ?? {\\"a\\": 1}"'],
    ['${a.result ?? {"a"', 15, 'the default is never closed', '"{\\"a\\""'],
    ['${a.result ?? {a: 1}}', 15, 'this is not valid JSON', '"{a: 1}}"'],
    ['${a.result ?? [1}}', 15, 'this is not valid JSON', '"[1}}"'],
    ['${a.result ?? 1 ?? 2}', 20, 'nothing is tried after a JSON value', '"2}"'],
    ['${a.result ?? 1 2}', 17, 'cannot go on like this', '"2}"'],
  ])('%s is refused at its place', (text, position, reason, found) => {
    const error = thrownBy(() => parseTemplate(text, '/p'));
    expect(error.code).toBe('GLZ1006');
    expect(error.details.reason).toContain(reason);
    expect(error.details.details).toEqual({ position, found });
    expect(error.message).toBe(`/p: ${error.details.reason}`);
    expect(error.message).toContain(`at character ${position} (found ${found})`);
    expect(error.details.field).toBe('/p');
    expect(error.details.hint).toMatch(/write|double quotes|JSON value/);
  });

  it('has a hint that fits', () => {
    const hint = (text: string) => thrownBy(() => parseTemplate(text)).details.hint;
    expect(hint('${')).toBe('write $${ where you mean a literal ${');
    expect(hint('${a{')).toBe('write $${ where you mean a literal ${');
    expect(hint('${a.}')).toContain('${task-id.result["odd key"][0]}');
    expect(hint("${a.b ?? 'x'}")).toBe('write ?? "text"');
    expect(hint('${a.b ?? x}')).toBe('text stands in double quotes: ?? "text"');
    expect(hint('${a.b ?? {x}}')).toContain('a default is a JSON value');
  });

  it('is named without a field where there is none, and quoted in part where it is long', () => {
    const error = thrownBy(() => parseTemplate(`\${a.result.${'('.repeat(60)}}`));
    expect(error.message).toMatch(/^reference: /);
    expect(error.details.details).toHaveProperty('found', `"${'('.repeat(40)}…"`);
    const exact = thrownBy(() => parseTemplate(`\${a.result.x(${')'.repeat(39)}`));
    expect(exact.details.details).toHaveProperty('found', `"(${')'.repeat(39)}"`);
  });

  it('may not be longer than what it names can be', () => {
    expect(expression(`${'a'.repeat(256)}.result`)).toMatchObject([path('a'.repeat(256), 'result')]);
    const long = thrownBy(() => parseTemplate(ref(`${'a'.repeat(257)}.result`)));
    expect(long.details.reason).toContain('no task id is that long, at character 3');
    expect(expression(`a${'.k'.repeat(128)}`)).toMatchObject([{ path: { length: 128 } }]);
    const deep = thrownBy(() => parseTemplate(ref(`a${'.k'.repeat(129)}`)));
    expect(deep.details.reason).toContain(`the path is too long, at character ${4 + 2 * 128}`);
    const chain = thrownBy(() => parseTemplate(ref(Array(17).fill('a.b').join(' ?? '))));
    expect(chain.details.reason).toContain('too many alternatives');
    const nested = (n: number) => ref(`a.result ?? ${'['.repeat(n)}${']'.repeat(n)}`);
    expect(() => parseTemplate(nested(128))).not.toThrow();
    expect(thrownBy(() => parseTemplate(nested(129))).details.reason).toContain(
      'nested deeper than 128 levels',
    );
  });
});

describe('any text', () => {
  const bits = fc.constantFrom(
    '$',
    '{',
    '}',
    '${',
    '$${',
    '.',
    '[',
    ']',
    '"',
    '\\',
    '??',
    ' ',
    '\n',
    'a',
    'result',
    '0',
    '-1',
    'null',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(bits, { maxLength: 30 }).map((list) => list.join('')),
  );

  it('is read, or refused with a position inside it', () => {
    fc.assert(
      fc.property(text, (value) => {
        try {
          parseTemplate(value);
        } catch {
          const { code, details } = thrownBy(() => parseTemplate(value));
          const { position } = details.details as { position: number };
          expect(code).toBe('GLZ1006');
          expect(position).toBeGreaterThanOrEqual(1);
          expect(position).toBeLessThanOrEqual(value.length + 1);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('can be written so that it stays what it is', () => {
    fc.assert(
      fc.property(text, (value) => {
        const escaped = value.replaceAll('${', () => '$${');
        expect(parseTemplate(escaped).join('')).toBe(value);
      }),
    );
  });

  it('brings every key and every default back', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue({ maxDepth: 3 }), (key, value) => {
        const parts = parseTemplate(`\${a.result[${JSON.stringify(key)}] ?? ${JSON.stringify(value)}}`);
        expect(parts).toMatchObject([[path('a', 'result', key), literal(JSON.parse(JSON.stringify(value)))]]);
      }),
    );
  });

  it('takes time in proportion to its length', () => {
    for (const part of ['${', '$${', '${a.result}', '${a.result ?? [', '${"', '${a', '${a.result.']) {
      const huge = part.repeat(20_000);
      try {
        parseTemplate(huge);
      } catch {
        expect(thrownBy(() => parseTemplate(huge)).code).toBe('GLZ1006');
      }
    }
  });
});
