import { isObject, type Json } from '../core/json.ts';
import { type Called, call, type Line, refused } from './line.ts';
import { lookAtMessage, lookAtTask, type SeenTask } from './task.ts';
import { endStates } from './wires.ts';

/** How the agent took a message; null where it gave no task. */
export type Sent = { readonly spoken: boolean; readonly task: SeenTask | null };

/** Sends two messages, and looks at what becomes of them. */
export async function converse(line: Line): Promise<Sent> {
  const first = await send(line, 1);
  if (!first.spoken) return first;
  const { task } = first;
  const second = await send(line, 2, task?.context_id ?? null);
  const { notice } = line;
  if (task?.context_id != null && second.task !== null && second.task.context_id !== task.context_id)
    notice(
      'context-kept',
      'It puts a message into another context than the one that it names.',
      second.called.heard,
    );
  if (task?.id != null && task.id === second.task?.id)
    notice('task-ids', 'Two messages got a task with the same id.', second.called.heard);
  if (task?.id != null) await getTask(line, { ...task, id: task.id });
  if (task?.id != null && task.state !== null && endStates.includes(task.state))
    await afterTheEnd(line, task);
  return first;
}

/** What has ended is neither canceled nor continued. */
async function afterTheEnd(line: Line, { id, state }: SeenTask): Promise<void> {
  const { wire, run } = line;
  if (state !== 'canceled')
    await refused(line, {
      ...{ method: wire.cancel, params: { id }, codes: [-32002] },
      ...{ rule: 'cancel-ended', message: 'It does not refuse to cancel what has ended.' },
    });
  const message = { ...wire.message(`${run}-${wire.version}-late`, line.text), taskId: id };
  await refused(line, {
    ...{ method: wire.send, params: { message }, codes: [] },
    ...{ rule: 'message-to-ended', message: 'It takes a message to a task that has ended.' },
  });
}

type Turn = Sent & { readonly called: Called };

async function send(line: Line, turn: 1 | 2, contextId: string | null = null): Promise<Turn> {
  const { wire, text, run, notice } = line;
  const said = wire.message(`${run}-${wire.version}-${turn}`, text);
  const message = contextId === null ? said : { ...said, contextId };
  const params = turn === 1 ? { message } : { message, configuration: { historyLength: 0 } };
  // Its ids are numbers once and texts once: some agents keep only one of the two apart.
  const id = turn === 1 ? `${run}-send` : 2;
  const called = await call(line, { method: wire.send, params, id });
  const { answer, heard } = called;
  if (answer?.kind === 'error') {
    await whyNot(line, called);
    return { spoken: answer.code !== -32601, task: null, called };
  }
  if (answer === null) {
    if (wire.version === '1.0' && heard.status >= 400) await withoutHeader(line);
    // Who leads elsewhere, or answers nothing, is not asked everything else too.
    const away = heard.trouble !== null || heard.location !== null || [401, 403].includes(heard.status);
    return { spoken: !away, task: null, called };
  }
  const task = lookAtResult(answer.result, line, called);
  // What 0 means is said since 1.0.
  if (
    wire.version === '1.0' &&
    turn === 2 &&
    isObject(answer.result) &&
    JSON.stringify(answer.result).includes('"history":[{')
  )
    notice('history-length', 'It sends the history where none was asked for.', heard);
  if (turn === 1 && task !== null) lookAtOutcome(line, task, called);
  return { spoken: true, task, called };
}

async function whyNot(line: Line, { answer, heard }: Called): Promise<void> {
  const code = answer?.kind === 'error' ? answer.code : null;
  const { notice, wire } = line;
  if (code === -32601)
    notice('card-version', `It does not know ${wire.send}, the method of A2A ${wire.version}.`, heard);
  else if (code === -32009)
    notice('version-header', `It does not take requests of A2A ${wire.version}.`, heard);
  else notice('work', 'It refused the message.', heard);
}

async function withoutHeader(line: Line): Promise<void> {
  const bare = { ...line, wire: { ...line.wire, headers: {} }, notice: () => {} };
  const params = { id: `no-such-task-${line.run}` };
  const { answer } = await call(bare, { method: line.wire.get, params });
  const { heard } = await call({ ...line, notice: () => {} }, { method: line.wire.get, params });
  if (answer !== null && heard.status >= 400)
    line.notice('version-header', 'It refuses requests that say their version.', heard);
}

/** A task or a message, as the version writes it. Null where it is no task. */
function lookAtResult(result: Json, line: Line, { heard: evidence }: Called): SeenTask | null {
  const { wire, notice } = line;
  const look = { wire, evidence, notice };
  if (!isObject(result)) {
    notice('result-shape', 'Its result is not an object.', evidence);
    return null;
  }
  if (wire.version === '0.3') {
    if (result['kind'] !== 'message') return lookAtTask(result, look);
    lookAtMessage(result, look);
    return null;
  }
  if (result['message'] !== undefined && result['task'] === undefined) {
    lookAtMessage(result['message'], look);
    return null;
  }
  if (result['task'] !== undefined && result['message'] !== undefined)
    notice('result-shape', 'Its result has both task and message.', evidence);
  if (result['task'] !== undefined) return lookAtTask(result['task'], look);
  notice('result-shape', 'Its result has neither task nor message.', evidence);
  return result['status'] === undefined ? null : lookAtTask(result, look);
}

function lookAtOutcome({ notice }: Line, { state, ended_with_output }: SeenTask, { heard }: Called): void {
  if (state === 'completed' && !ended_with_output)
    notice('output', 'It completes a task and gives no result.', heard);
  if (state !== null && state !== 'completed')
    notice('work', `The task it made of the message is ${state}.`, heard);
}

async function getTask(line: Line, made: SeenTask & { readonly id: string }): Promise<void> {
  const { wire, notice } = line;
  const { id } = made;
  const { answer, heard } = await call(line, { method: wire.get, params: { id } });
  if (answer === null) return;
  if (answer.kind === 'error') {
    notice('task-kept', 'It does not know the task that it has just made.', heard);
    return;
  }
  const task = lookAtTask(answer.result, { wire, evidence: heard, notice });
  if (task.id !== id) notice('task-kept', 'It shows another task than the one that was asked for.', heard);
  if (made.context_id !== null && task.context_id !== made.context_id)
    notice('context-kept', 'It shows a task in another context than the one it was made in.', heard);
  if (made.state === null || !endStates.includes(made.state)) return;
  if (task.state !== null && task.state !== made.state)
    notice('task-kept', `It shows a task as ${task.state} that has ended as ${made.state}.`, heard);
  if (made.ended_with_output && !task.ended_with_output)
    notice('task-kept', 'It shows a task without the result that it had.', heard);
}
