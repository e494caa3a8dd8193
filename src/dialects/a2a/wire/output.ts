import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { writeArtifact } from './messages.ts';
import type { Message, Oddities, Part, Task } from './model.ts';
import { given, listAt, objectAt, textOf } from './parts.ts';

/**
 * What a task brought, as tasks of a workflow see it: `{text, artifacts, response, metadata, context_id}`, each where there is
 * one. `text` is that of the artifacts, or else the agent's last words, so that `${task.result.text}` works with every agent. Where there is neither, it is the whole of what
 * the agent said (`raw`).
 */
export function taskOutput(task: Task, raw: Json, odd: Oddities): JsonObject {
  const text = textOf(task.artifacts.flatMap(({ parts }) => parts));
  const response = lastWords(task);
  const output: JsonObject = given({
    text: text ?? response,
    artifacts: task.artifacts.length === 0 ? undefined : artifactsJson(task, raw),
    response,
    metadata: task.metadata,
    context_id: task.context_id,
  });
  if (hasOutput(task)) return output;
  odd.push('has neither artifacts nor words of the agent');
  return isObject(raw) ? { ...unwrapped(raw), ...given({ context_id: task.context_id }) } : output;
}

export function hasOutput(task: Task): boolean {
  return task.artifacts.length > 0 || lastWords(task) !== undefined;
}

export function messageOutput(message: Message, raw: Json, odd: Oddities): JsonObject {
  const text = textOf(message.parts);
  const others = message.parts.filter(({ kind }) => kind !== 'text');
  const output: JsonObject = given({
    text,
    // What is no text has to stand somewhere; a message has no artifacts, so it becomes one.
    artifacts: others.length === 0 ? undefined : [artifactOf(message)],
    response: text,
    metadata: message.metadata,
    context_id: message.context_id,
  });
  if (message.parts.length > 0) return output;
  odd.push('has a message without parts');
  return isObject(raw) ? { ...unwrapped(raw), ...given({ context_id: message.context_id }) } : output;
}

/**
 * The result of a protocol's method, which has a shape that artifacts do not: the first data an agent gave, else the
 * JSON its text holds, else what any other task would see.
 */
export function structured(parts: readonly Part[], output: JsonObject): Json {
  const data = parts.find((part) => part.kind === 'data');
  if (data !== undefined) return data.data;
  try {
    return typeof output['text'] === 'string' ? (JSON.parse(output['text']) as Json) : output;
  } catch {
    return output;
  }
}

/** Everything an agent gave as a result: of its artifacts, else of its last message. */
export function resultParts(task: Task): readonly Part[] {
  const parts = task.artifacts.flatMap((artifact) => artifact.parts);
  return parts.length > 0 ? parts : (task.status.message?.parts ?? []);
}

/** The newest words: those that came with the status are newer than all of the history. */
function lastWords({ status, history }: Task): string | undefined {
  const messages = status.message === undefined ? history : [...history, status.message];
  for (const { role, parts } of messages.toReversed()) {
    const text = role === 'agent' ? textOf(parts) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

/** As the agent wrote them where that is how 0.3 writes them, else written so: who reads results should not meet two spellings. */
function artifactsJson(task: Task, raw: Json): readonly Json[] {
  const said = isObject(raw) ? listAt(unwrapped(raw), 'artifacts') : [];
  const asWritten = said.length === task.artifacts.length && said.every(namesKinds);
  return asWritten ? said : task.artifacts.map((artifact) => writeArtifact(artifact, '0.3'));
}

function namesKinds(artifact: Json): boolean {
  if (!isObject(artifact)) return false;
  return listAt(artifact, 'parts').every((part) => isObject(part) && typeof part['kind'] === 'string');
}

function unwrapped(raw: JsonObject): JsonObject {
  return objectAt(raw, 'task') ?? objectAt(raw, 'message') ?? raw;
}

function artifactOf({ message_id, parts }: Message): JsonObject {
  return writeArtifact({ artifact_id: message_id, parts }, '0.3');
}
