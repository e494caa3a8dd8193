import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { markAt } from './parsed.ts';
import { problemsOf } from './problems.ts';
import { parseYaml } from './yaml.ts';

const options = { file: 'f.yaml', code: 'GLZ1012' } as const;

const isMine = (value: Json): boolean => !JSON.stringify(value).includes('"__proto__"');
const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => isMine(value as Json)) as fc.Arbitrary<Json>;

/** The writer of the library leaves the key `<<` bare, which is a merge key: refused, and quoted it is a key like any other. */
const isPlain = (value: Json): boolean => !JSON.stringify(value).includes('"<<":');

/** The text at each mark, read on its own, must be the value that the mark is said to have. */
function wrongMarks(text: string, value: Json): string[] {
  const { root } = parseYaml(text, options);
  const wrong: string[] = [];
  const visit = (inner: Json, path: (string | number)[]): void => {
    const mark = markAt(root, path);
    if (mark === undefined) return void wrong.push(`no mark at ${path.join('/')}`);
    if (typeof inner === 'object' && inner !== null) {
      const keys = Array.isArray(inner) ? [...inner.keys()] : Object.keys(inner);
      for (const key of keys) visit((inner as Record<string, Json>)[key] as Json, [...path, key]);
    } else if (!sameScalar(text.slice(mark.value.start, mark.value.end), inner)) wrong.push(path.join('/'));
    const key = path.at(-1);
    if (
      typeof key === 'string' &&
      mark.key !== null &&
      !sameScalar(text.slice(mark.key.start, mark.key.end), key)
    ) {
      wrong.push(`key ${path.join('/')}`);
    }
  };
  visit(value, []);
  return wrong;
}

/** Over several lines a text depends on its indentation: there the beginning must do. */
function sameScalar(written: string, value: Json): boolean {
  if (written === value) return true;
  if (written.includes('\n')) return /^\S/.test(written);
  const [read] = parseYaml(`- ${written}`, options).value as Json[];
  return Object.is(read, value) || (typeof value === 'string' && String(read) === value);
}

/** The machine may have much else to do. */
const patience = { timeout: 60_000 };

describe('any JSON value', patience, () => {
  it.each(['BLOCK', 'FLOW'] as const)(
    'written as YAML (%s) is read back, and every mark is right',
    (style) => {
      fc.assert(
        fc.property(json.filter(isPlain), (value) => {
          const write = { lineWidth: 0, version: '1.2', aliasDuplicateObjects: false } as const;
          const text = stringify(value, { ...write, collectionStyle: style === 'FLOW' ? 'flow' : 'block' });
          expect(parseYaml(text, options).value).toEqual(value);
          expect(wrongMarks(text, value)).toEqual([]);
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each([undefined, 2, '\t'])('written as JSON, indented by %j, is read back', (indent) => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseYaml(text, options).value).toEqual(JSON.parse(text));
        expect(wrongMarks(text, JSON.parse(text))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

const pieces = [
  'a',
  '1',
  ':',
  ': ',
  '- ',
  '? ',
  '[',
  ']',
  '{',
  '}',
  ',',
  '\n',
  '  ',
  '\t',
  '"',
  "'",
  '#',
  '|',
  '>',
  '&a ',
  '*a ',
  '!t ',
  '%Y',
  '---',
  '...',
  '<<',
  '\r\n',
  '\\',
  '~',
  '`',
  '@',
  'é',
  '\u0000',
];
const pieced = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''));

describe('any text', patience, () => {
  it('is read or refused with an error of ours whose places are in the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), pieced), (text) => {
        const before = process.cpuUsage();
        try {
          parseYaml(text, options);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GleitzeitError);
          const problems = problemsOf(thrown);
          expect(problems.length).toBeGreaterThan(0);
          const lines = text.split('\n').map((line) => line.length + 1);
          for (const { line, column } of problems) {
            expect(column - 1).toBeLessThanOrEqual(lines[line - 1] ?? -1);
          }
        }
        expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
      }),
      { numRuns: 1000 },
    );
  });

  it('of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          parseYaml(bytes, options);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GleitzeitError);
        }
      }),
    );
  });
});
