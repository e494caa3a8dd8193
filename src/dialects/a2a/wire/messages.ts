import type { JsonObject } from '../../../core/json.ts';
import type { Artifact, Message, Oddities, WireVersion } from './model.ts';
import { given, objectAt, readParts, textAt, textsAt, writePart } from './parts.ts';

export function readMessage(value: JsonObject, odd: Oddities): Message {
  const message_id = textAt(value, 'messageId', 'message_id');
  if (message_id === undefined) odd.push('has a message without messageId');
  return {
    message_id: message_id ?? '',
    role: roleOf(textAt(value, 'role')),
    parts: readParts(value, odd),
    ...given({
      context_id: textAt(value, 'contextId'),
      task_id: textAt(value, 'taskId'),
      reference_task_ids: textsAt(value, 'referenceTaskIds'),
      extensions: textsAt(value, 'extensions'),
      metadata: objectAt(value, 'metadata'),
    }),
  };
}

/** Whoever speaks to us is the agent, unless it quotes what it was told. */
function roleOf(said: string | undefined): Message['role'] {
  return /^(?:role_)?user$/i.test(said ?? '') ? 'user' : 'agent';
}

export function writeMessage(message: Message, version: WireVersion): JsonObject {
  const { message_id, role, parts, context_id, task_id, reference_task_ids, extensions, metadata } = message;
  return {
    ...(version === '0.3' ? { kind: 'message' } : {}),
    role: version === '0.3' ? role : `ROLE_${role.toUpperCase()}`,
    messageId: message_id,
    parts: parts.map((part) => writePart(part, version)),
    ...given({
      contextId: context_id,
      taskId: task_id,
      referenceTaskIds: reference_task_ids,
      extensions,
      metadata,
    }),
  };
}

export function readArtifact(value: JsonObject, odd: Oddities): Artifact {
  return {
    artifact_id: textAt(value, 'artifactId', 'artifact_id') ?? '',
    parts: readParts(value, odd),
    ...given({
      name: textAt(value, 'name'),
      description: textAt(value, 'description'),
      extensions: textsAt(value, 'extensions'),
      metadata: objectAt(value, 'metadata'),
    }),
  };
}

export function writeArtifact(artifact: Artifact, version: WireVersion): JsonObject {
  const { artifact_id, parts, name, description, extensions, metadata } = artifact;
  return {
    artifactId: artifact_id,
    ...given({ name, description }),
    parts: parts.map((part) => writePart(part, version)),
    ...given({ extensions, metadata }),
  };
}
