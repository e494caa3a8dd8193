import { canonicalJson } from '../core/canonical.ts';
import type { TaskDefinition, WorkflowDefinition } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import { mapPointers, mapSealed, maySeal, SEALED } from '../core/secrets.ts';

export type SealParts = {
  readonly schemas: Schemas;
  readonly cipher: Cipher;
  readonly hash: (text: string) => string;
};

/**
 * A workflow as it is kept: every default written out, so that it stays the same when defaults change, and without an
 * id for runs. `parseWorkflow` reads it as what it was.
 */
function written({ name, tasks }: WorkflowDefinition, paramsOf: (task: TaskDefinition) => Json): JsonObject {
  return { name, tasks: tasks.map((task) => writtenTask(task, paramsOf(task))) };
}

function writtenTask(task: TaskDefinition, params: Json): JsonObject {
  const { id, name, dependencies, priority, timeout, total_timeout, on_failure } = task;
  const { left_to_agent: left = [] } = task;
  const { max_total, retry_on, ...retry } = task.retry_config;
  const retry_config = { ...retry, retry_on: [...retry_on], ...(max_total === null ? {} : { max_total }) };
  return {
    // A name that serves as the id may hold what an id may not.
    ...(id === name ? {} : { id }),
    ...{ name, ...called(task), params, dependencies: [...dependencies], priority, on_failure },
    ...(total_timeout === null ? {} : { total_timeout }),
    // What the task leaves to its agent is what that says when the task runs.
    ...(left.includes('timeout') ? {} : { timeout }),
    ...(left.includes('retry_config') ? {} : { retry_config }),
  };
}

function called({ protocol, method, agent }: TaskDefinition): JsonObject {
  return agent === undefined ? { protocol, method } : { agent };
}

/** What stands for a definition in the store: secrets sealed, and a hash that is the same for the same definition. */
export function seal(parts: SealParts, workflow: WorkflowDefinition): { text: string; hash: string } {
  const pointers = ({ protocol, method }: TaskDefinition) => parts.schemas.secrets(protocol, method).params;
  const sealed = written(workflow, (task) =>
    mapPointers(task.params, pointers(task), (secret) => ({
      [SEALED]: parts.cipher.seal(JSON.stringify(secret)),
    })),
  );
  const marked = written(workflow, (task) =>
    mapPointers(task.params, pointers(task), (secret) => parts.cipher.mark(canonicalJson(secret))),
  );
  return { text: JSON.stringify(sealed), hash: parts.hash(canonicalJson(marked)) };
}

export function unseal({ cipher }: Pick<SealParts, 'cipher'>, text: string): JsonObject {
  const workflow = JSON.parse(text) as JsonObject;
  if (!maySeal(text)) return workflow;
  return mapSealed(workflow, (sealed) => JSON.parse(cipher.open(sealed)) as Json) as JsonObject;
}

/** As when the workflow is submitted; an error says which task it is about. */
export function checkParams(schemas: Schemas, { tasks }: WorkflowDefinition): void {
  for (const [index, { protocol, method, params }] of tasks.entries()) {
    try {
      schemas.checkParams({ protocol, method, params, stage: 'template' });
      if (maySeal(JSON.stringify(params)))
        throw new GleitzeitError('GLZ1005', `"${SEALED}" is not allowed as a key`, { field: '/params' });
    } catch (thrown) {
      const { code, message, details } = GleitzeitError.from(thrown);
      const field = `/tasks/${index}${details.field ?? ''}`;
      throw new GleitzeitError(code, `task ${index}: ${message}`, { ...details, field }, thrown);
    }
  }
}
