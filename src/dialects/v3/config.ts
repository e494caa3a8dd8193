import type { JsonObject } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { Problems } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { Type } from '../../type.ts';
import { Timeout } from '../timeout.ts';
import { Path } from '../tls.ts';

const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** A part of a dotted name. */
const NAME = '[A-Za-z_]\\w*';

export const V3Config = Type.Object(
  {
    module: Type.String({
      pattern: `^${NAME}(?:\\.${NAME})*$`,
      'x-expected': 'the name of a module, such as providers.search',
      description: 'the Python module that the provider is in',
    }),
    class: Type.String({
      pattern: `^${NAME}$`,
      'x-expected': 'the name of a class',
      description: 'its class',
    }),
    path: Type.Optional(
      Type.Array(Path('a folder'), {
        minItems: 1,
        description: 'folders in which modules are looked for; the folder it runs in where it is left out',
      }),
    ),
    functions: Type.Optional(
      Texts(
        'which function a method is: `search: web_search`. These are all the methods it has then; otherwise it has all of the protocol, under their own names',
      ),
    ),
    options: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description: 'what the class is constructed with; `${secrets.name}` is filled in',
      }),
    ),
    python: Type.Optional(
      Type.String({ minLength: 1, default: 'python3', description: 'the interpreter: a name or a path' }),
    ),
    cwd: Type.Optional(Path('the folder it runs in')),
    env: Type.Optional(
      Texts('variables it gets besides a few harmless ones; `${secrets.name}` is filled in'),
    ),
    timeout: Type.Optional(Timeout),
  },
  { additionalProperties: false },
);

/** Methods that the protocol does not have would never be called: they are misspelt. */
export function checkFunctions(functions: Readonly<Record<string, string>>, known: readonly string[]): void {
  const problems = new Problems();
  for (const name of Object.keys(functions)) {
    if (known.includes(name)) continue;
    const reason = `the protocol has no method ${JSON.stringify(name)}`;
    const hint = didYouMean(name, known, 'its methods');
    problems.add('GLZ1012', { field: child('/config/functions', name), reason, hint });
  }
  problems.throwIfAny();
}
