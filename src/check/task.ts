import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Evidence, Notice } from './finding.ts';
import type { Wire } from './wires.ts';

/** What the check has to know of a task. */
export type SeenTask = {
  readonly id: string | null;
  readonly context_id: string | null;
  readonly state: string | null;
  readonly ended_with_output: boolean;
};

export type Look = { readonly wire: Wire; readonly evidence: Evidence; readonly notice: Notice };

/** A task, as `tasks/get` gives it and as it stands in other results. */
export function lookAtTask(task: Json, look: Look): SeenTask {
  const { wire, evidence, notice } = look;
  if (!isObject(task)) {
    notice('result-shape', 'A task is not an object.', evidence);
    return { id: null, context_id: null, state: null, ended_with_output: false };
  }
  for (const name of ['id', 'contextId'])
    if (typeof task[name] !== 'string' || task[name] === '')
      notice('task-members', `A task has no ${name}.`, evidence);
  if (wire.version === '0.3' && task['kind'] !== 'task')
    notice('result-shape', 'A task does not say kind: "task".', evidence);
  const state = lookAtStatus(task['status'], look);
  const artifacts = listOf(task['artifacts'], 'artifacts', look);
  for (const artifact of artifacts) lookAtArtifact(artifact, look);
  const ids = artifactIds(artifacts);
  if (new Set(ids).size < ids.length)
    notice('artifacts', 'Two artifacts of a task have the same id.', evidence);
  const history = listOf(task['history'], 'history', look);
  for (const message of history) lookAtMessage(message, look);
  const { id, contextId: context } = task;
  const spoken = history.some((message) => isObject(message) && /agent$/i.test(String(message['role'])));
  const told = isObject(task['status']) && task['status']['message'] !== undefined;
  return {
    id: typeof id === 'string' ? id : null,
    context_id: typeof context === 'string' ? context : null,
    state,
    ended_with_output: artifacts.length > 0 || spoken || told,
  };
}

/** Of those that have one. */
export function artifactIds(artifacts: readonly Json[]): readonly string[] {
  return artifacts.flatMap((artifact) => {
    const id = isObject(artifact) ? artifact['artifactId'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

function listOf(value: Json | undefined, name: string, { evidence, notice }: Look): readonly Json[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  notice('task-members', `${name} of a task is not a list.`, evidence);
  return [];
}

/** The state in the words of 0.3; null where it cannot be told. */
export function lookAtStatus(status: Json | undefined, look: Look): string | null {
  const { wire, evidence, notice } = look;
  if (!isObject(status)) {
    notice('task-state', 'The status of a task is not an object.', evidence);
    return null;
  }
  const state = wire.state(status['state']);
  if (state === null)
    notice(
      'task-state',
      `${JSON.stringify(status['state']) ?? 'Nothing'} is no state of A2A ${wire.version}.`,
      evidence,
    );
  const time = status['timestamp'];
  if (time !== undefined && !isTime(time)) notice('timestamps', 'A time is not ISO 8601 in UTC.', evidence);
  if (status['message'] !== undefined) lookAtMessage(status['message'], look);
  return state;
}

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:00)$/;

function isTime(time: Json): boolean {
  return typeof time === 'string' && iso.test(time) && !Number.isNaN(Date.parse(time));
}

export function lookAtMessage(message: Json | undefined, look: Look): void {
  const { wire, evidence, notice } = look;
  if (!isObject(message)) {
    notice('messages', 'A message is not an object.', evidence);
    return;
  }
  if (typeof message['messageId'] !== 'string' || message['messageId'] === '')
    notice('messages', 'A message has no messageId.', evidence);
  if (!wire.roles.includes(String(message['role'])))
    notice(
      'messages',
      `${JSON.stringify(message['role']) ?? 'Nothing'} is no role of A2A ${wire.version}.`,
      evidence,
    );
  if (!Array.isArray(message['parts'])) notice('messages', 'A message has no list of parts.', evidence);
  else for (const part of message['parts']) lookAtPart(part, look);
}

export function lookAtArtifact(artifact: Json | undefined, look: Look): void {
  const { evidence, notice } = look;
  if (!isObject(artifact)) {
    notice('artifacts', 'An artifact is not an object.', evidence);
    return;
  }
  if (typeof artifact['artifactId'] !== 'string' || artifact['artifactId'] === '')
    notice('artifacts', 'An artifact has no artifactId.', evidence);
  const { parts } = artifact;
  if (!Array.isArray(parts) || parts.length === 0) notice('artifacts', 'An artifact has no parts.', evidence);
  else for (const part of parts) lookAtPart(part, look);
}

function lookAtPart(part: Json, { wire, evidence, notice }: Look): void {
  const problem = isObject(part)
    ? wire.version === '0.3'
      ? oldPart(part)
      : newPart(part)
    : 'A part is not an object.';
  if (problem !== null) notice('parts', problem, evidence);
}

function oldPart({ kind, text, data, file }: JsonObject): string | null {
  if (kind === 'text') return typeof text === 'string' ? null : 'A part of kind text has no text.';
  if (kind === 'data') return isObject(data) ? null : 'A part of kind data has no object in data.';
  if (kind === 'file')
    return isObject(file) && (file['bytes'] ?? file['uri']) !== undefined
      ? null
      : 'A part of kind file has neither bytes nor uri.';
  return 'A part does not say whether its kind is text, data or file.';
}

function newPart(part: JsonObject): string | null {
  if (part['kind'] !== undefined || part['type'] !== undefined)
    return 'A part says its kind, as A2A 0.3 does.';
  const held = ['text', 'raw', 'url', 'data'].filter((name) => part[name] !== undefined);
  if (held.length !== 1) return 'A part holds not exactly one of text, raw, url and data.';
  return part['text'] === undefined || typeof part['text'] === 'string'
    ? null
    : 'The text of a part is no text.';
}
