import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts';
import { translationError } from '../../agent/translation-error.ts';
import { readArtifact, readMessage } from './messages.ts';
import { type Message, type Oddities, PROTOCOL, type Said, type Task, type TaskStatus } from './model.ts';
import { given, listAt, objectAt, textAt } from './parts.ts';
import { stateOf } from './states.ts';

/**
 * The `result` of any answer, of any event of a stream, or the body of a push notification. Throws a translation error
 * for what is neither task, message nor update of one; what is merely odd about it goes into `odd`.
 */
export function readSaid(result: Json, odd: Oddities): Said {
  if (!isObject(result)) throw unreadable('has a result that is no object', result);
  const found = sorted(result);
  if (found === null) throw unreadable('has a result that is neither a task nor a message', result);
  const { is, body } = found;
  if (is === 'task') return { is, task: readTask(body, odd) };
  if (is === 'message') return { is, message: readMessage(body, odd) };
  const common = {
    task_id: textAt(body, 'taskId') ?? '',
    ...given({ context_id: textAt(body, 'contextId'), metadata: objectAt(body, 'metadata') }),
  };
  if (is === 'status') {
    const final = own(body, 'final');
    return {
      is,
      ...common,
      status: readStatus(body, odd),
      ...(typeof final === 'boolean' ? { final } : {}),
    };
  }
  const artifact = readArtifact(objectAt(body, 'artifact') ?? {}, odd);
  const [append, last_chunk] = [own(body, 'append') === true, own(body, 'lastChunk') === true];
  return { is, ...common, artifact, append, last_chunk };
}

type Sorted = { readonly is: Said['is']; readonly body: JsonObject };

const kinds: ReadonlyMap<string, Said['is']> = new Map([
  ['task', 'task'],
  ['message', 'message'],
  ['status-update', 'status'],
  ['artifact-update', 'artifact'],
]);

const wrappers = {
  task: 'task',
  message: 'message',
  statusUpdate: 'status',
  artifactUpdate: 'artifact',
} as const;

/** 0.3 names what it is, 1.0 wraps it, and some do neither: then its members tell. */
function sorted(result: JsonObject): Sorted | null {
  const kind = kinds.get(textAt(result, 'kind') ?? '');
  if (kind !== undefined) return { is: kind, body: result };
  for (const [wrapper, is] of Object.entries(wrappers)) {
    const body = objectAt(result, wrapper);
    if (body !== undefined) return { is, body };
  }
  if (objectAt(result, 'artifact') !== undefined) return { is: 'artifact', body: result };
  if (textAt(result, 'taskId') !== undefined && objectAt(result, 'status') !== undefined)
    return { is: 'status', body: result };
  if (['status', 'artifacts', 'history'].some((name) => own(result, name) !== undefined))
    return { is: 'task', body: result };
  return own(result, 'parts') === undefined ? null : { is: 'message', body: result };
}

function readTask(value: JsonObject, odd: Oddities): Task {
  const artifacts = objectsAt(value, 'artifacts', odd).map((item) => readArtifact(item, odd));
  const history = objectsAt(value, 'history', odd).map((item): Message => readMessage(item, odd));
  return {
    id: textAt(value, 'id') ?? '',
    status: readStatus(value, odd),
    artifacts,
    history,
    ...given({ context_id: textAt(value, 'contextId'), metadata: objectAt(value, 'metadata') }),
  };
}

function readStatus(holder: JsonObject, odd: Oddities): TaskStatus {
  const status = objectAt(holder, 'status') ?? {};
  const said = textAt(status, 'state');
  if (said === undefined) odd.push('has no status.state');
  const message = objectAt(status, 'message');
  return {
    state: stateOf(said ?? 'unknown'),
    said: said ?? 'unknown',
    ...(message === undefined ? {} : { message: readMessage(message, odd) }),
    ...given({ timestamp: textAt(status, 'timestamp') }),
  };
}

function objectsAt(holder: JsonObject, name: string, odd: Oddities): readonly JsonObject[] {
  const value = own(holder, name);
  if (value !== undefined && value !== null && !Array.isArray(value))
    odd.push(`has ${name} that are no list`);
  const items = listAt(holder, name);
  const objects = items.filter(isObject);
  if (objects.length < items.length) odd.push(`has something else than objects in its ${name}`);
  return objects;
}

function unreadable(reason: string, original_data: Json) {
  return translationError({
    protocol: PROTOCOL,
    direction: 'response',
    trouble: 'result',
    reason,
    original_data,
  });
}
