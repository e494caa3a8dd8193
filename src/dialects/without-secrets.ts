import type { ErrorRecord } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { redact, redactJson } from '../core/secrets.ts';

/** An error without the secrets the service was told: it may repeat them in what it complains of. */
export function withoutSecrets(error: ErrorRecord, secrets: readonly string[]): ErrorRecord {
  if (secrets.length === 0) return error;
  const { message, data } = error;
  const { reason, hint, field, details, ...rest } = data;
  return {
    ...error,
    message: redact(message, secrets),
    data: {
      ...rest,
      ...(field === undefined ? {} : { field: redact(field, secrets) }),
      ...(reason === undefined ? {} : { reason: redact(reason, secrets) }),
      ...(hint === undefined ? {} : { hint: redact(hint, secrets) }),
      ...(details === undefined ? {} : { details: redactJson(details, secrets) }),
    },
  };
}

/** The JSON of a result without them. */
export function resultWithout(result: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || redact(result, secrets) === result) return result;
  return JSON.stringify(redactJson(JSON.parse(result) as Json, secrets));
}
