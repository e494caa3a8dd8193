import { describe, expect, it } from 'vitest';
import { type Example, nothing } from './testing/example.suite.ts';
import { emptyExamples, ruleExamples } from './testing/rule-examples.suite.ts';
import { specificationExamples } from './testing/specification-examples.suite.ts';

export { exampleMethods } from './testing/example-methods.suite.ts';

/**
 * Carries one text to a server with `exampleMethods` under the plain policy, and brings back what it says: null where it
 * says nothing.
 */
export type SendText = (text: string) => Promise<{ readonly text: string | null }>;

/** The rules S1–S13 and the specification's examples. Every carrier answers the same table in the same way. */
export function examplesSuite(
  carrier: string,
  send: SendText,
  { carries_empty = true }: { readonly carries_empty?: boolean } = {},
): void {
  const check = async ([, request, expected]: Example) => {
    const { text } = await send(request);
    if (expected === nothing) expect(text).toBeNull();
    else expect(JSON.parse(text ?? 'null')).toEqual(expected);
    expect(text ?? '').not.toMatch(/secret-4711|\bat .*\d+:\d+/);
  };
  describe(`${carrier}: the specification's examples`, () => {
    it.each(specificationExamples)('%s', (...example) => check(example));
  });
  describe(`${carrier}: the rules of a server`, () => {
    it.each([...ruleExamples, ...(carries_empty ? emptyExamples : [])])('%s', (...example) => check(example));
  });
}
