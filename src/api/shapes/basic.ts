import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../../core/json.ts';
import { MAX_NAME } from '../../core/limits.ts';
import { Type } from '../../type.ts';

export const anyJson = Type.Unsafe<Json>({});
export const anyObject = Type.Unsafe<JsonObject>({ type: 'object' });

/** A text that is one of a few words. */
export function words<const Words extends readonly string[]>(list: Words, options: object = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...list], ...options });
}

/** One of the words, or several in a list. */
export function oneOrMore<const Words extends readonly string[]>(list: Words, description: string) {
  return Type.Optional(
    Type.Union([words(list), Type.Array(words(list), { maxItems: list.length })], { description }),
  );
}

export function nullable<S extends TSchema>(schema: S, options: { description?: string } = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** What a caller gives by name. Unknown keys are refused with the nearest known one. */
export function params<const Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}

export const noParams = params({});

export function name(description: string) {
  return Type.String({ minLength: 1, maxLength: MAX_NAME, description });
}

export const taskId = name('the `task_id` that submit answered with');
export const workflowId = name('the `workflow_id` that submit answered with');
export const time = Type.String({ format: 'date-time' });
export const count = Type.Integer({ minimum: 0 });

export const idempotencyKey = Type.Optional(
  name('sent again with the same body, the first answer is given again and nothing new is started'),
);
export const reason = Type.Optional(
  Type.String({ maxLength: 1000, description: 'told with the event and kept with the record' }),
);

/** The longest a call may wait for something to settle. Whoever wants to wait longer asks again. */
export const MAX_WAIT_MS = 60_000;
export const wait = Type.Optional(
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    minimum: 0,
    maximum: MAX_WAIT_MS,
    description:
      'milliseconds to wait for the end, or text with its unit, at most a minute: `5s`; without it the answer comes at once',
  }),
);

export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;

/** What every list understands. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1000, description: '`next_cursor` of the page before' }),
  ),
};

/** What lists of what was submitted understand besides. */
export const span = {
  created_from: Type.Optional(
    Type.String({ format: 'date-time', description: 'only what was created then or later' }),
  ),
  created_to: Type.Optional(
    Type.String({ format: 'date-time', description: 'only what was created before' }),
  ),
  order: Type.Optional(words(['oldest', 'newest'], { default: 'newest', description: 'which comes first' })),
};

export function page<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    next_cursor: nullable(Type.String(), { description: 'null on the last page' }),
  });
}
