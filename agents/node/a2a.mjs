// What each method of A2A does, on both wires.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { invalidParams, isObject, RpcError, unsupported } from './errors.mjs';
import { pick, textOf } from './skills.mjs';
import { byMessage, Task, tasks } from './tasks.mjs';
import { showTask, showUpdate, wires } from './wires.mjs';

// ---- What comes in --------------------------------------------------------------------------------------------------

function readMessage({ message }) {
  if (!isObject(message)) throw invalidParams('message must be an object');
  const { messageId, role, parts } = message;
  if (typeof messageId !== 'string' || messageId === '')
    throw invalidParams('message.messageId must be a text');
  if (role !== 'user' && role !== 'ROLE_USER') throw invalidParams('message.role must be that of a user');
  if (!Array.isArray(parts) || parts.length === 0)
    throw invalidParams('message.parts must have at least one part');
  return { id: messageId, role: 'user', parts: parts.map(readPart) };
}

/** Both wires at once: a part that lacks its `kind` is understood all the same. */
function readPart(part) {
  if (typeof part?.text === 'string') return { text: part.text };
  if (part?.data !== undefined) return { data: part.data };
  if (part?.file !== undefined || part?.raw !== undefined || part?.url !== undefined)
    throw new RpcError(-32005, 'CONTENT_TYPE_NOT_SUPPORTED', 'This agent takes text and data, not files');
  throw invalidParams('each of message.parts must have text or data');
}

function historyLengthOf({ historyLength }) {
  if (historyLength == null) return undefined;
  if (!Number.isInteger(historyLength) || historyLength < 0)
    throw invalidParams('historyLength must be a whole number from 0 on');
  return historyLength;
}

/** The task that a message starts or continues, ready to be started. */
function accept(params, wire) {
  const message = readMessage(params);
  if (params.configuration?.[wire.pushMember] != null) noPush();
  const text = message.parts.map((part) => part.text ?? textOf(part.data)).join('\n');
  // Who did not get our answer sends the same message again; the work must not be done twice. What went wrong may be tried again.
  const key = JSON.stringify([message.id, text]);
  const known = byMessage.get(key);
  if (known !== undefined && !['failed', 'canceled'].includes(known.status.state)) return known;
  const task = taskFor(params.message);
  task.take(message, { key, ...(task.skill === undefined ? pick(text) : { skill: task.skill, text }) });
  return task;
}

function taskFor({ taskId, contextId }) {
  if (taskId == null)
    return new Task(typeof contextId === 'string' && contextId !== '' ? contextId : randomUUID());
  const task = find(taskId);
  if (contextId != null && contextId !== task.contextId)
    throw invalidParams('message.contextId is not that of the task');
  if (task.status.state !== 'input-required') throw unsupported('The task waits for no message');
  return task;
}

function find(id) {
  if (typeof id !== 'string') throw invalidParams('the id of a task must be a text');
  const task = tasks.get(id);
  if (task === undefined) throw new RpcError(-32001, 'TASK_NOT_FOUND', 'Task not found');
  return task;
}

// ---- Methods --------------------------------------------------------------------------------------------------------

async function send(params, wire) {
  const configuration = params.configuration ?? {};
  const historyLength = historyLengthOf(configuration);
  const task = accept(params, wire);
  const show = () => wire.sent(showTask(task, wire, { historyLength }));
  const atOnce = show();
  task.start();
  if (!wire.waits(configuration)) return atOnce;
  while (!task.rests()) await once(task, 'update');
  return show();
}

/** The task as it is, then everything that happens until it ends or waits. */
function watch(task, wire, signal) {
  const first = wire.event('task', showTask(task, wire));
  let seen = task.updates.length;
  async function* events() {
    yield first;
    for (;;) {
      while (seen < task.updates.length) yield showUpdate(task.updates[seen++], task, wire);
      if (task.rests()) return;
      await once(task, 'update', { signal });
    }
  }
  return events();
}

function stream(params, wire, signal) {
  const task = accept(params, wire);
  const events = watch(task, wire, signal);
  task.start();
  return events;
}

function subscribe({ id }, wire, signal) {
  const task = find(id);
  if (task.hasEnded()) throw unsupported('The task has ended');
  return watch(task, wire, signal);
}

const get = (params, wire) => showTask(find(params.id), wire, { historyLength: historyLengthOf(params) });

function cancel({ id }, wire) {
  const task = find(id);
  if (task.hasEnded() && task.status.state !== 'canceled')
    throw new RpcError(-32002, 'TASK_NOT_CANCELABLE', 'Task cannot be canceled: it has ended');
  task.become('canceled');
  task.stop.abort();
  return showTask(task, wire);
}

/** The newest first. The token of a page is the last task of the one before. */
function list(params, wire) {
  const { contextId, status, pageSize, pageToken, includeArtifacts } = params;
  const size = pageSize ?? 50;
  if (!Number.isInteger(size) || size < 1 || size > 100)
    throw invalidParams('pageSize must be from 1 to 100');
  const wanted = [...tasks.values()]
    .reverse()
    .filter((task) => !contextId || task.contextId === contextId)
    .filter((task) => !status || wire.state(task.status.state) === status)
    .sort((a, b) => b.status.timestamp.localeCompare(a.status.timestamp));
  const from = wanted.findIndex((task) => task.id === pageToken) + 1;
  const page = wanted.slice(from, from + size);
  const options = { artifacts: includeArtifacts === true, historyLength: historyLengthOf(params) };
  return {
    tasks: page.map((task) => showTask(task, wire, options)),
    nextPageToken: from + page.length < wanted.length ? page.at(-1).id : '',
    pageSize: size,
    totalSize: wanted.length,
  };
}

function noPush() {
  throw new RpcError(-32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'This agent sends no push notifications');
}

function noOtherCard(_params, wire) {
  const why = 'This agent has one card for everybody';
  if (wire === wires['1.0']) throw unsupported(why);
  throw new RpcError(-32007, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', why);
}

export const methods = {
  0.3: {
    'message/send': send,
    'message/stream': stream,
    'tasks/get': get,
    'tasks/cancel': cancel,
    'tasks/resubscribe': subscribe,
    'tasks/pushNotificationConfig/set': noPush,
    'tasks/pushNotificationConfig/get': noPush,
    'tasks/pushNotificationConfig/list': noPush,
    'tasks/pushNotificationConfig/delete': noPush,
    'agent/getAuthenticatedExtendedCard': noOtherCard,
  },
  '1.0': {
    SendMessage: send,
    SendStreamingMessage: stream,
    GetTask: get,
    CancelTask: cancel,
    ListTasks: list,
    SubscribeToTask: subscribe,
    CreateTaskPushNotificationConfig: noPush,
    GetTaskPushNotificationConfig: noPush,
    ListTaskPushNotificationConfigs: noPush,
    DeleteTaskPushNotificationConfig: noPush,
    GetExtendedAgentCard: noOtherCard,
  },
};
