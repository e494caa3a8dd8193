import type { AttemptName } from '../../core/attempt-name.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { Type } from '../../type.ts';

/** Ids and names of whomever: bounded, and otherwise left alone. */
export const Name = Type.String({ minLength: 1, maxLength: 512 });
export const Text = Type.String({ maxLength: 64 * 1024 });
export const AnyObject = Type.Unsafe<JsonObject>({ type: 'object' });
export const Anything = Type.Unsafe<Json>({});
export const Milliseconds = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const Count = Type.Integer({ minimum: 0, maximum: 9_999_999_999 });
/** Existing producers write none, or null. */
export const OptionalText = Type.Optional(Type.Union([Text, Type.Null()]));
export const OptionalName = Type.Optional(Type.Union([Name, Type.Null()]));

/** The members of AttemptName, as they travel: `generation` is left out as long as it is 0. */
export const attemptMembers = {
  task_id: Name,
  attempt: Type.Integer({ minimum: 1, maximum: 9_999_999_999 }),
  generation: Type.Optional(Count),
};

export function attemptName(read: {
  task_id: string;
  attempt: number;
  generation?: number | undefined;
}): AttemptName {
  return { task_id: read.task_id, attempt: read.attempt, generation: read.generation ?? 0 };
}

export function writtenName({ task_id, attempt, generation }: AttemptName): {
  task_id: string;
  attempt: number;
  generation?: number;
} {
  return { task_id, attempt, ...(generation === 0 ? {} : { generation }) };
}
