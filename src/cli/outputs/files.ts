import { nullable, words } from '../../api/shapes/basic.ts';
import { errorCodes } from '../../core/error-codes.ts';
import { Type } from '../../type.ts';

const text = Type.String();
const count = Type.Integer({ minimum: 0 });

const problem = Type.Object(
  {
    severity: words(['error', 'note']),
    code: words(Object.keys(errorCodes)),
    path: Type.String({ description: '`tasks[0].params.query`; empty where it is the whole file' }),
    line: Type.Integer({ minimum: 0, description: 'from 1; 0 where there is no place to point at' }),
    column: Type.Integer({ minimum: 0, description: 'from 1, in UTF-16 units' }),
    length: nullable(Type.Integer({ minimum: 1 }), { description: 'of the words it is about, on that line' }),
    message: text,
    found: nullable(text),
    expected: nullable(text),
    hint: nullable(text),
  },
  { additionalProperties: false },
);

/** What commands that read workflow files print. */
export const fileOutputs = {
  validate: Type.Object(
    {
      files: Type.Array(
        Type.Object(
          {
            file: text,
            valid: Type.Boolean(),
            problems: Type.Array(problem),
            truncated: Type.Boolean({
              description: 'whether there may be more: after 100 mistakes no others are looked for',
            }),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  plan: Type.Object(
    {
      name: text,
      version: nullable(text),
      tasks: Type.Array(
        Type.Object({
          id: text,
          protocol: text,
          method: text,
          agent: nullable(text, { description: 'the one agent it is for' }),
          layer: Type.Integer({ minimum: 1 }),
          waits_for: Type.Array(text),
          priority: text,
          providers: nullable(Type.Array(text), { description: 'null where that is not known' }),
        }),
      ),
      layers: Type.Array(Type.Array(text), {
        description: 'ids that could run at the same time, one after the other',
      }),
      depth: count,
      longest_chain: Type.Array(text),
      width: count,
      unresolved: Type.Array(
        Type.Object({ task: text, reference: text, reason: words(['no input', 'not in the input']) }),
      ),
    },
    { additionalProperties: false },
  ),
  graph: Type.Object(
    {
      name: text,
      nodes: Type.Array(Type.Object({ id: text, call: text, status: nullable(text) })),
      edges: Type.Array(Type.Object({ from: text, to: text })),
    },
    { additionalProperties: false },
  ),
  schema: Type.Unsafe<object>({ type: 'object', description: 'the schema that was asked for' }),
};
