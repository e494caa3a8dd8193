import { isObject, own } from './json.ts';
import type { Schemas, SecretFields } from './ports/schemas.ts';
import { rewriteProblems } from './problems.ts';
import { isWithin } from './secrets.ts';

type Marks = Pick<Schemas, 'secrets'>;

const reason = 'this is no reference that can be followed';
const hint = 'where a secret holds ${ as it is, write $${';

/**
 * What `parse` makes of a task or workflow somebody wrote. Where it refuses what stands in a field that is marked as
 * secret, the error does not show what that is (invariant 10): a password may look like a broken reference.
 */
export function parseHiding<Parsed>(parse: (raw: unknown) => Parsed, raw: unknown, schemas: Marks): Parsed {
  try {
    return parse(raw);
  } catch (thrown) {
    throw rewriteProblems(thrown, (problem) =>
      isSecret(problem.field, raw, schemas) ? { field: problem.field, reason, hint } : problem,
    );
  }
}

const inTask = /^(?:\/tasks\/(\d+))?\/params(\/.*)?$/;

function isSecret(field: string, raw: unknown, schemas: Marks): boolean {
  const [found, index, path = ''] = inTask.exec(field) ?? [];
  if (found === undefined || !isObject(raw)) return false;
  const task = index === undefined ? raw : own(Object(own(raw, 'tasks')), index);
  return isWithin(path, secretsOf(task, schemas));
}

/** Nothing is known to be secret in a call that no protocol describes. */
function secretsOf(task: unknown, schemas: Marks): SecretFields['params'] {
  const { protocol, method } = Object(task);
  try {
    return schemas.secrets(String(protocol), String(method)).params;
  } catch {
    return [];
  }
}
