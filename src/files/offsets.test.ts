import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isScalar, parseDocument, stringify } from 'yaml';
import { offsetOf } from './offsets.ts';

/** Null where the library does not read what it wrote. */
function offsets(text: string, value: string): number[] | null {
  const node = parseDocument(text).get('key', true);
  if (!isScalar(node) || node.range == null || node.value !== value) return null;
  const [start, end] = node.range;
  return Array.from(value, (_, index) => offsetOf(text, { start, end }, { value, index }));
}

describe('the characters of a text in a file', () => {
  it.each([
    ['plain', 'key: ab ${c}\n', 'ab ${c}'],
    ['plain over lines', 'key: ab\n  ${c}\n\n  d\n', 'ab ${c}\nd'],
    ['single quotes', "key: 'it''s ${c}'\n", "it's ${c}"],
    ['double quotes', 'key: "a\\"b\\\\ ${c}"\n', 'a"b\\ ${c}'],
    ['double quotes over lines', 'key: "a \\\n   b\n  ${c}"\n', 'a b ${c}'],
    ['escapes', 'key: "\\u0024{x}\\t\\x41\\ \\N${c}"\n', '${x}\tA \u0085${c}'],
    ['a block', 'key: |2\n   a\n  ${c}\n\n  d\n', ' a\n${c}\n\nd\n'],
    ['a folded block', 'key: > # how\n  a\n  ${c}\n\n  d\n', 'a ${c}\nd\n'],
  ])('are found: %s', (_, text, value) => {
    const found = offsets(text, value) ?? [];
    const at = value.indexOf('${c}');
    expect(text.slice(found[at], found[at + 3]).concat('}')).toBe('${c}');
  });

  it('are where they are, however the text is written', () => {
    const word = fc.stringMatching(/^[a-z"'\\\\#:,{} ü✓-]{1,12}$/).filter((text) => text.trim() !== '');
    const style = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), style, (words, defaultStringType) => {
        const value = `${words.join(' ')}${'$'}{c}${words.join('\n')}`;
        const text = stringify(
          { key: value },
          { defaultStringType, defaultKeyType: 'PLAIN', lineWidth: 20, minContentWidth: 0 },
        );
        const found = offsets(text, value);
        fc.pre(found !== null);
        const at = value.indexOf('${c}');
        const letters = [0, 1, 2, 3].map((i) => text[found[at + i] ?? -1]);
        expect(letters.join(''), text).toBe('${c}');
      }),
    );
  });
});
