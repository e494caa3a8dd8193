import { child } from '../core/json-pointer.ts';
import { Problems } from '../core/problems.ts';
import { didYouMean } from '../core/suggest.ts';
import { Type } from '../type.ts';

/** Words that configurations of services over a network share. */

export const Headers = Type.Record(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
  Type.String({ pattern: '^[^\\r\\n\\0]*$', 'x-expected': 'one line of text' }),
  { additionalProperties: false, description: 'sent with every request; `${secrets.name}` is filled in' },
);

/** Methods that the protocol does not have would never be called: they are misspelt. */
export function checkMethods(names: readonly string[], known: readonly string[], at: string): void {
  const problems = new Problems();
  for (const name of names) {
    if (known.includes(name)) continue;
    const reason = `the protocol has no method ${JSON.stringify(name)}`;
    problems.add('GLZ1012', { field: child(at, name), reason, hint: didYouMean(name, known, 'its methods') });
  }
  problems.throwIfAny();
}
