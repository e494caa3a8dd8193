import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { fillReferences } from '../../core/references.ts';
import { pointersTo, withoutToken } from './said.ts';

const TOKEN = 'xoxb-{$secret}-1';

/** Texts of what could be taken for a reference, or for its escape, around the token. */
const text = fc
  .array(fc.constantFrom(TOKEN, '$', '{', '}', '${', '$${', '${workflow.input.bot_token}', 'a', ' '))
  .map((pieces) => pieces.join(''));
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'text'), tie('tree')),
  ) as fc.Arbitrary<Json>,
}));

it('whatever was said comes to the same again, and the token stands only where it is sealed', () => {
  fc.assert(
    fc.property(tree, (said) => {
      const { template, input } = withoutToken(said, TOKEN);
      expect(JSON.stringify(template)).not.toContain(TOKEN);
      expect(fillReferences(template, { task: () => undefined, input })).toEqual(said);
      for (const at of pointersTo(input, TOKEN)) expect(at).toMatch(/^\/(bot_token|repeated\/\d+)$/);
    }),
    { numRuns: 2000 },
  );
});

it('every text in which the token stands is found', () => {
  const said = { text: `a ${TOKEN}`, list: ['no', { 'a/b': TOKEN }], none: null };
  expect(pointersTo(said, TOKEN)).toEqual(['/text', '/list/1/a~1b']);
});
