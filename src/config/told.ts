import { GleitzeitError } from '../core/errors.ts';
import { isObject, type JsonObject, own } from '../core/json.ts';
import type { Checking } from '../files/check.ts';
import { type Path, stepsOf } from '../files/path.ts';

/** What somebody throws over a part of the file, told with the places that its fields mean there. */
export function told<Result>(path: Path, checking: Checking, call: () => Result): Result | undefined {
  try {
    return call();
  } catch (thrown) {
    for (const { field, reason, hint } of complaintsOf(thrown)) {
      const part = /^(?:is missing$|unknown key|cannot name)/.test(reason) ? 'key' : 'value';
      checking.report({ path: [...path, ...stepsOf(field)], part, message: reason, hint });
    }
    return undefined;
  }
}

type Complaint = { readonly field: string; readonly reason: string; readonly hint: string | null };

function complaintsOf(thrown: unknown): Complaint[] {
  const { details, message } = GleitzeitError.from(thrown);
  const listed = isObject(details.details) ? own(details.details, 'problems') : undefined;
  const problems = Array.isArray(listed) ? (listed as JsonObject[]) : [details];
  return problems.map(({ field, reason, hint }) => ({
    field: typeof field === 'string' ? field : '',
    reason: typeof reason === 'string' ? reason : message,
    hint: typeof hint === 'string' ? hint : null,
  }));
}
