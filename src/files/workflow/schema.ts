import { memberInput } from '../../api/shapes/task.ts';
import { workflowInput } from '../../api/shapes/workflow.ts';
import { type Json, type JsonObject, own } from '../../core/json.ts';
import { MAX_NAME } from '../../core/limits.ts';

/**
 * What a workflow file may say: the shapes of the API, durations with their unit, and the words of older generations,
 * which are marked as deprecated. In the words of files/schema.ts; files/publish.ts makes plain JSON Schema of it.
 */
type Fields = Readonly<Record<string, JsonObject>>;

const member = fieldsOf(memberInput);
const retry = fieldsOf(member['retry_config']);
const run = fieldsOf(workflowInput);

/** The shape of a field of the API, with what it means in a file. */
function as(fields: Fields, name: string, description: string): JsonObject {
  return { ...fields[name], description };
}

function object(description: string, properties: Fields, required: readonly string[]): JsonObject {
  return { type: 'object', description, properties, required, additionalProperties: false };
}

function duration(description: string, more: JsonObject = {}): JsonObject {
  return { type: 'number', 'x-unit': 'duration', description, minimum: 0, ...more };
}

function older(schema: JsonObject, instead: string): JsonObject {
  return { ...schema, deprecated: true, description: `older: ${instead}` };
}

function text(description: string): JsonObject {
  return { type: 'string', description };
}

/** Timers count in milliseconds. */
const shortest = { minimum: 0.001 };

const retryFields = {
  max_attempts: as(retry, 'max_attempts', 'attempts in all'),
  backoff: as(retry, 'backoff', 'how delays grow'),
  initial_delay: duration('before the second attempt', { default: '1s' }),
  multiplier: as(retry, 'multiplier', 'of each delay to the one before it'),
  max_delay: duration('no delay is longer', { default: '60s' }),
  jitter: {
    anyOf: [
      { type: 'number', minimum: 0, maximum: 1 },
      older({ type: 'boolean' }, 'write a number from 0 to 1'),
    ],
    description: 'share of a delay that is left to chance',
    default: 0.5,
    'x-expected': 'a number from 0 to 1',
  },
  max_total: duration('no attempt starts later than this after the first one', { 'x-nullable': true }),
  retry_on: as(retry, 'retry_on', 'classes of errors that are tried again'),
  base_delay: older(duration(''), 'write initial_delay'),
  backoff_strategy: older({ ...retry['backoff'] }, 'write backoff'),
};

const retryConfig = object('when and how often it is tried again', retryFields, []);

/** What a task and the template of a batch have in common. */
const callFields = {
  // Older files name it in the method.
  protocol: { ...as(member, 'protocol', 'what to call, such as `web-search/v1`'), 'x-required': true },
  method: as(member, 'method', 'a method of the protocol'),
  params: as(
    member,
    'params',
    'judged by the protocol; may hold references such as `${search.result.items}`',
  ),
  priority: {
    anyOf: [
      { type: 'string', enum: ['urgent', 'high', 'normal', 'low'] },
      older({ enum: [1, 2, 3] }, 'write high, normal or low'),
    ],
    description: 'which of the tasks that could run goes first',
    default: 'normal',
    'x-expected': 'one of urgent, high, normal, low',
  },
  timeout: duration('for one attempt', { default: '30s', ...shortest }),
  total_timeout: duration('for the whole task from when it is first queued, all attempts and waits', {
    ...shortest,
    'x-nullable': true,
  }),
  retry_config: retryConfig,
  on_failure: as(member, 'on_failure', 'tasks that depend on it are skipped, or run without its result'),
  description: text('for people; not kept'),
  parameters: older({ type: 'object' }, 'write params'),
  retry: older(retryConfig, 'write retry_config'),
};

const letters = '\\p{L}\\p{M}\\p{N}_-';

const task = object(
  'one durable call',
  {
    id: {
      type: 'string',
      description: 'what others of the workflow know it by; without one its `name` is',
      minLength: 1,
      maxLength: MAX_NAME,
      pattern: `^[${letters}](?:[ ${letters}]*[${letters}])?$`,
      'x-expected': 'letters, digits, "_", "-" and spaces between them',
    },
    name: as(member, 'name', 'for people'),
    ...callFields,
    dependencies: as(member, 'dependencies', 'ids to wait for; references count whether listed or not'),
    needs: as(member, 'needs', 'the same as `dependencies`'),
  },
  ['method'],
);

const commonFields = {
  $schema: text('for editors'),
  name: as(run, 'name', 'names the definition; without one the file does'),
  workflow_id: as(run, 'workflow_id', 'the same, where there is no `name`; it does not name a run'),
  version: {
    anyOf: [
      { type: 'string', minLength: 1, maxLength: MAX_NAME },
      { type: 'null' },
      older({ type: 'number' }, 'put it in quotes'),
    ],
    description: 'of the definition',
    'x-expected': 'text that is not empty',
  },
  description: text('for people; not kept'),
  timeout: older(
    duration('', shortest),
    'write timeout in the tasks; here it is for each task that has none',
  ),
  wait_for_completion: older({ type: 'boolean' }, '`gleitzeit run` waits, `gleitzeit submit` does not'),
};

const template: JsonObject = {
  ...object(
    'the task that is made for each file',
    {
      name: as(member, 'name', 'for people; may hold `${file.name}`'),
      ...callFields,
      params: as(member, 'params', 'judged by the protocol; may hold `${file.path}`'),
    },
    ['method'],
  ),
  // Older templates hold the params themselves, whatever they are called.
  additionalProperties: true,
};

const files = object(
  'which files',
  {
    directory: {
      ...text('the folder, as it counts from this file'),
      minLength: 1,
      'x-expected': 'the path of a folder',
    },
    pattern: {
      ...text('which of its files: `*` and `?` within a name, `**` for folders below'),
      minLength: 1,
      default: '*',
    },
  },
  ['directory'],
);

export const workflowSchema = object(
  'a graph of tasks',
  {
    ...commonFields,
    tasks: { type: 'array', items: task, minItems: 1, description: 'the tasks, in any order' },
  },
  ['tasks'],
);

export const batchSchema = object(
  'one task for each file of a folder',
  {
    ...commonFields,
    type: { const: 'batch', description: 'says so' },
    batch: files,
    template,
    protocol: older({ type: 'string', minLength: 1 }, 'write protocol in the template'),
  },
  ['batch', 'template'],
);

/** Whether somebody means a batch, well written or not. */
export function isBatch(value: JsonObject): boolean {
  return ['batch', 'template'].some((key) => Object.hasOwn(value, key)) || own(value, 'type') === 'batch';
}

function fieldsOf(schema: object | undefined): Fields {
  const plain = JSON.parse(JSON.stringify(schema ?? {})) as JsonObject;
  return (plain['properties'] ?? {}) as Readonly<Record<string, Json>> as Fields;
}
