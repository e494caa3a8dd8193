// How A2A 0.3 and A2A 1.0 write the same things. Everything that differs between the two is here.

export const wires = {
  0.3: {
    // 0.3 tells objects apart by `kind`, …
    kind: (name) => ({ kind: name }),
    part: ({ text, data }) =>
      text === undefined ? { kind: 'data', data: asObject(data) } : { kind: 'text', text },
    role: (role) => role,
    state: (state) => state,
    sent: (task) => task,
    event: (_name, value) => value,
    final: (final) => ({ final }),
    waits: ({ blocking }) => blocking !== false,
    pushMember: 'pushNotificationConfig',
    detail: () => undefined,
  },
  '1.0': {
    // … 1.0 by the name of the member that they stand in.
    kind: () => ({}),
    part: ({ text, data }) => (text === undefined ? { data } : { text }),
    role: (role) => `ROLE_${role.toUpperCase()}`,
    state: (state) => `TASK_STATE_${state.toUpperCase().replace('-', '_')}`,
    sent: (task) => ({ task }),
    event: (name, value) => ({ [name]: value }),
    final: () => ({}), // the stream ends
    waits: ({ returnImmediately }) => returnImmediately !== true,
    pushMember: 'taskPushNotificationConfig',
    detail: (reason) => [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' },
    ],
  },
};

/** Data is any JSON in 1.0, and an object in 0.3. */
const asObject = (data) =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : { value: data };

function showMessage({ id, role, parts }, task, wire) {
  const about = { taskId: task.id, contextId: task.contextId };
  return {
    ...wire.kind('message'),
    messageId: id,
    role: wire.role(role),
    parts: parts.map(wire.part),
    ...about,
  };
}

function showStatus({ state, message, timestamp }, task, wire) {
  const says = message === null ? {} : { message: showMessage(message, task, wire) };
  return { state: wire.state(state), ...says, timestamp };
}

/** Of the history, `historyLength` is how much: all of it where unset, none for 0, else the last ones. */
export function showTask(task, wire, { historyLength, artifacts = true } = {}) {
  const shown = { ...wire.kind('task'), id: task.id, contextId: task.contextId };
  shown.status = showStatus(task.status, task, wire);
  if (artifacts && task.parts.length > 0)
    shown.artifacts = [{ artifactId: 'result', parts: task.parts.map(wire.part) }];
  const history = historyLength === 0 ? [] : task.history.slice(-(historyLength ?? task.history.length));
  if (history.length > 0) shown.history = history.map((message) => showMessage(message, task, wire));
  return shown;
}

export function showUpdate({ status, final, part, append, last }, task, wire) {
  const about = { taskId: task.id, contextId: task.contextId };
  if (status !== undefined) {
    const value = { ...wire.kind('status-update'), ...about, status: showStatus(status, task, wire) };
    return wire.event('statusUpdate', { ...value, ...wire.final(final) });
  }
  const artifact = { artifactId: 'result', parts: [wire.part(part)] };
  const value = { ...wire.kind('artifact-update'), ...about, artifact, append, lastChunk: last };
  return wire.event('artifactUpdate', value);
}
