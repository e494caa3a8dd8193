import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json } from '../core/json.ts';
import { fieldName } from './params.ts';

/** An error whose fields count from one of the params, counted from the params instead. */
export async function inside<Answer>(at: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    throw at === '' || !(thrown instanceof GleitzeitError)
      ? thrown
      : moved(thrown, (field) => under(at, field));
  }
}

/** An error as callers see it: a param is called by its name, and what lies inside one by a JSON pointer. */
export function named(thrown: unknown): unknown {
  return thrown instanceof GleitzeitError ? moved(thrown, fieldName) : thrown;
}

function under(at: string, field: string): string {
  if (field === '') return at;
  return field.startsWith('/') ? `${at}${field}` : field;
}

function moved(error: GleitzeitError, move: (field: string) => string): GleitzeitError {
  const { field, details } = error.details;
  if (field === undefined) return error;
  const to = move(field);
  if (to === field && details === undefined) return error;
  const message = error.message.startsWith(`${field}: `)
    ? `${to}${error.message.slice(field.length)}`
    : error.message;
  const inner = details === undefined ? {} : { details: movedProblems(details, move) };
  return new GleitzeitError(error.code, message, { ...error.details, field: to, ...inner }, error.cause);
}

function movedProblems(details: Json, move: (field: string) => string): Json {
  if (!isObject(details) || !Array.isArray(details['problems'])) return details;
  const problems = details['problems'].map((problem: Json) =>
    isObject(problem) && typeof problem['field'] === 'string'
      ? { ...problem, field: move(problem['field']) }
      : problem,
  );
  return { ...details, problems };
}
