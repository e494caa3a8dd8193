import { memberInput } from '../../api/shapes/task.ts';
import { workflowInput } from '../../api/shapes/workflow.ts';
import { type Json, type JsonObject, own } from '../../core/json.ts';
import { MAX_NAME } from '../../core/limits.ts';
import { reservedIds } from '../../core/reference-source.ts';
import {
  agentForm,
  argumentKeys,
  callRules,
  functionForm,
  hasProtocol,
  methodForm,
  notBoth,
} from './call-forms.ts';

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

/** Text of spaces alone is as good as none. */
function solid(schema: JsonObject): JsonObject {
  const branches = own(schema, 'anyOf');
  if (Array.isArray(branches)) return { ...schema, anyOf: branches.map((one) => solid(one as JsonObject)) };
  return own(schema, 'type') === 'string' ? { ...schema, 'x-publish': { pattern: '\\S' } } : schema;
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

const retryConfig = {
  ...object('when and how often it is tried again', retryFields, []),
  'x-publish': { allOf: notBoth(['base_delay', 'initial_delay'], ['backoff_strategy', 'backoff']) },
};
/** Older files name the protocol in the method, or a function instead of both. */
const WITHOUT_AGENT = 'required without `agent`';

/** What a task and the template of a batch have in common. */
const callFields = {
  protocol: {
    ...solid(as(member, 'protocol', 'what to call, such as `web-search/v1`')),
    'x-needed': WITHOUT_AGENT,
  },
  method: { ...solid(as(member, 'method', 'a method of the protocol')), 'x-needed': WITHOUT_AGENT },
  agent: solid(as(member, 'agent', 'the one agent that is to do it, instead of a protocol and a method')),
  input: {
    anyOf: [{ type: 'string' }, { type: 'object' }],
    description:
      'what the agent is told, as text or by names; may hold references like `params`, whose place it takes',
    'x-expected': 'text or a mapping',
  },
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
  type: older({ const: 'function' }, 'leave it out'),
  function: older(
    { type: 'string', minLength: 1 },
    'write the protocol and the method that `functions` of the configuration maps it to',
  ),
  args: older({ type: 'object' }, 'write params'),
  arguments: older({ type: 'object' }, 'write params'),
};

const letters = '\\p{L}\\p{M}\\p{N}_-';

const taskFields = object(
  'one durable call',
  {
    id: {
      type: 'string',
      description: 'what others of the workflow know it by; without one its `name` is',
      minLength: 1,
      maxLength: MAX_NAME,
      pattern: `^[${letters}](?:[ ${letters}]*[${letters}])?$`,
      'x-expected': 'letters, digits, "_", "-" and spaces between them',
      'x-publish': { not: { enum: [...reservedIds] } },
    },
    name: solid(as(member, 'name', 'for people')),
    ...callFields,
    dependencies: as(member, 'dependencies', 'ids to wait for; references count whether listed or not'),
    needs: as(member, 'needs', 'the same as `dependencies`'),
  },
  [],
);

const task: JsonObject = {
  ...taskFields,
  'x-publish': {
    allOf: [
      ...callRules,
      { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
      { anyOf: [{ ...methodForm, ...hasProtocol }, agentForm, functionForm] },
    ],
  },
};

const commonFields = {
  $schema: text('for editors'),
  name: solid(as(run, 'name', 'names the definition; without one the file does')),
  workflow_id: as(run, 'workflow_id', 'the same, where there is no `name`; it does not name a run'),
  version: {
    anyOf: [
      solid({ type: 'string', minLength: 1, maxLength: MAX_NAME }),
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

const templateFields = {
  name: as(member, 'name', 'for people; may hold `${file.name}`'),
  ...callFields,
  params: as(member, 'params', 'judged by the protocol; may hold `${file.path}`'),
};

/** Where params stand apart, there is nothing else that other keys could be. */
const closedTemplate: JsonObject = {
  properties: Object.fromEntries(Object.keys(templateFields).map((key) => [key, true])),
  additionalProperties: false,
};
const hasParams = { anyOf: [...argumentKeys, 'input'].map((key) => ({ required: [key] })) };

const template: JsonObject = {
  ...object('the task that is made for each file', templateFields, []),
  // Older templates hold the params themselves, whatever they are called.
  additionalProperties: true,
  'x-publish': {
    allOf: [
      ...callRules,
      { anyOf: [methodForm, agentForm, functionForm] },
      { anyOf: [{ not: hasParams }, closedTemplate] },
    ],
  },
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
      // Inside the folder, and no part of it empty.
      'x-publish': { pattern: '^(?![A-Za-z]:)(?!(?:.*/)?\\.\\.(?:/|$))[^/\\\\]+(?:/[^/\\\\]+)*$' },
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

const batchFields = object(
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

export const batchSchema: JsonObject = {
  ...batchFields,
  'x-publish': {
    anyOf: [
      { required: ['protocol'] },
      { properties: { template: { anyOf: [hasProtocol, agentForm, functionForm] } } },
    ],
  },
};

/** Whether somebody means a batch, well written or not. */
export function isBatch(value: JsonObject): boolean {
  return ['batch', 'template'].some((key) => Object.hasOwn(value, key)) || own(value, 'type') === 'batch';
}

function fieldsOf(schema: object | undefined): Fields {
  const plain = JSON.parse(JSON.stringify(schema ?? {})) as JsonObject;
  return (plain['properties'] ?? {}) as Readonly<Record<string, Json>> as Fields;
}
