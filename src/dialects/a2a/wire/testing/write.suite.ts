import type { JsonObject } from '../../../../core/json.ts';
import { writeArtifact, writeMessage } from '../messages.ts';
import type { Said, Task, TaskStatus, WireVersion } from '../model.ts';
import { given } from '../parts.ts';
import { upperState } from '../states.ts';

/** What an agent would say, in either version. Only agents say it, so nothing of the product does. */
export function writeSaid(said: Said, version: WireVersion): JsonObject {
  const old = version === '0.3';
  if (said.is === 'task') return wrapped('task', old ? 'task' : null, writeTask(said.task, version));
  if (said.is === 'message') return old ? message(said, version) : { message: message(said, version) };
  const common = { taskId: said.task_id, ...given({ contextId: said.context_id, metadata: said.metadata }) };
  if (said.is === 'status') {
    const body = { ...common, status: writeStatus(said.status, version) };
    const final = old ? given({ final: said.final }) : {};
    return wrapped('statusUpdate', old ? 'status-update' : null, { ...body, ...final });
  }
  const artifact = writeArtifact(said.artifact, version);
  const body = { ...common, artifact, append: said.append, lastChunk: said.last_chunk };
  return wrapped('artifactUpdate', old ? 'artifact-update' : null, body);
}

function message(said: Extract<Said, { is: 'message' }>, version: WireVersion): JsonObject {
  return writeMessage(said.message, version);
}

/** The old version says what it is, the new one puts it into something that does. */
function wrapped(member: string, kind: string | null, body: JsonObject): JsonObject {
  return kind === null ? { [member]: body } : { kind, ...body };
}

function writeTask(task: Task, version: WireVersion): JsonObject {
  return {
    id: task.id,
    ...given({ contextId: task.context_id }),
    status: writeStatus(task.status, version),
    artifacts: task.artifacts.map((artifact) => writeArtifact(artifact, version)),
    history: task.history.map((one) => writeMessage(one, version)),
    ...given({ metadata: task.metadata }),
  };
}

function writeStatus({ state, message: words, timestamp }: TaskStatus, version: WireVersion): JsonObject {
  return {
    state: version === '0.3' ? state : upperState(state),
    ...(words === undefined ? {} : { message: writeMessage(words, version) }),
    ...given({ timestamp }),
  };
}
