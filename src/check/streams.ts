import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { parsed, readAnswer, readJson } from './envelope.ts';
import { call, type Line, requestOf } from './line.ts';
import type { HeardStream } from './talk.ts';
import { artifactIds, lookAtArtifact, lookAtMessage, lookAtStatus, lookAtTask } from './task.ts';
import { endStates, restStates } from './wires.ts';

/** Streams one message, and looks at every event. */
export async function lookAtStreams(line: Line, promised: boolean): Promise<void> {
  const { wire, text, run, notice, talk } = line;
  const message = wire.message(`${run}-${wire.version}-stream`, text);
  const headers = { accept: 'text/event-stream' };
  const said = requestOf(line, { method: wire.stream, params: { message }, headers });
  const heard = await talk.stream(said);
  if (!heard.type.startsWith('text/event-stream')) return notStreamed(line, { heard, id: said.id, promised });
  if (!promised) notice('card-streaming', 'It streams, and its card says that it does not.', heard);
  if (heard.status !== 200) notice('http-status', `It streams with HTTP ${heard.status}.`, heard);
  await lookBack(line, readEvents(line, heard, said.id));
  await followNobody(line);
}

/** The error may come as an answer, or as the only event of a stream. */
async function followNobody(line: Line): Promise<void> {
  const { wire, run, notice, talk } = line;
  const params = { id: `no-such-task-${run}` };
  const said = requestOf(line, { method: wire.subscribe, params, headers: { accept: 'text/event-stream' } });
  const heard = await talk.stream(said);
  const value = parsed(heard.events[0] ?? heard.text ?? '');
  const answer = value === undefined ? null : readAnswer(value, { id: said.id, evidence: heard }, notice);
  if (answer?.kind !== 'error' || answer.code !== -32001)
    notice('resubscribe', 'To follow a task that there is not is not answered with -32001.', heard);
}

type Other = { readonly heard: HeardStream; readonly id: string | number; readonly promised: boolean };

function notStreamed({ notice }: Line, { heard, id, promised }: Other): void {
  if (heard.events.length > 0 || heard.text?.startsWith('data:') === true) {
    notice('stream-type', 'It streams, and does not say so.', heard);
    return;
  }
  const value = readJson(heard, promised ? notice : () => {});
  const answer =
    value === undefined ? null : readAnswer(value, { id, evidence: heard }, promised ? notice : () => {});
  if (promised && answer !== null)
    notice('card-streaming', 'Its card says that it streams, and it does not.', heard);
  if (!promised && answer?.kind === 'result')
    notice('card-streaming', 'It does not refuse to stream, and does not stream.', heard);
}

/** What is known of the stream so far. */
type Seen = {
  task: string | null;
  context: string | null;
  state: string | null;
  final: boolean;
  first: boolean;
  /** Something of what the task came to has been told. */
  brought: boolean;
  artifacts: Set<string>;
};

function readEvents(line: Line, heard: HeardStream, id: string | number): Seen {
  const { notice, wire } = line;
  const seen: Seen = {
    ...{ task: null, context: null, state: null, final: false, first: true, brought: false },
    artifacts: new Set(),
  };
  for (const data of heard.events) {
    const value = parsed(data);
    const evidence = { sent: heard.sent, came: data.slice(0, 400) };
    if (value === undefined) {
      notice('stream-json', 'An event is not JSON.', evidence);
      continue;
    }
    if (seen.final && (seen.state === null || !endStates.includes(seen.state)))
      notice('stream-last', 'Its stream goes on after the event that says it is the last.', evidence);
    if (seen.state !== null && endStates.includes(seen.state))
      notice('stream-last', 'Its stream goes on after the task has ended.', evidence);
    const result = unwrapped(value, { id, evidence }, line);
    if (result !== null) lookAtEvent(result, { line, seen, evidence });
    seen.first = false;
  }
  if (heard.events.length === 0) notice('stream-first', 'There is nothing in its stream.', heard);
  if (heard.ended !== 'well')
    notice('stream-ends', heard.ended === 'cut' ? 'Its stream is cut.' : 'Its stream does not end.', heard);
  const rests = seen.state !== null && restStates.includes(seen.state);
  if (!rests) notice('stream-last', 'Its stream ends before the task does.', heard);
  else if (wire.version === '0.3' && !seen.final)
    notice('stream-last', 'The last event does not say that it is the last.', heard);
  return seen;
}

/** What was streamed is there afterwards, in the state that was told last. */
async function lookBack(line: Line, { task, state, brought, artifacts }: Seen): Promise<void> {
  if (task === null || state === null) return;
  const { wire, notice } = line;
  const { answer, heard } = await call(
    { ...line, notice: () => {} },
    { method: wire.get, params: { id: task } },
  );
  if (answer?.kind === 'error')
    notice('task-kept', 'It does not know the task that it has just streamed.', heard);
  if (answer?.kind !== 'result' || !isObject(answer.result)) return;
  const { status } = answer.result;
  const now = isObject(status) ? wire.state(status['state']) : null;
  if (now !== null && now !== state)
    notice('stream-last', `Its stream ended with ${state}, and the task is ${now}.`, heard);
  const kept = answer.result['artifacts'];
  const ids = new Set(artifactIds(Array.isArray(kept) ? kept : []));
  if (state === 'completed' && !brought && ids.size > 0)
    notice('output', 'Its stream completes a task and brings no result.', heard);
  if ([...artifacts].some((id) => !ids.has(id)))
    notice('task-kept', 'It does not have the artifact that it has just streamed.', heard);
}

type Envelope = {
  readonly id: string | number;
  readonly evidence: { readonly sent: string; readonly came: string };
};

function unwrapped(value: Json, { id, evidence }: Envelope, { notice }: Line): JsonObject | null {
  const wrong: string[] = [];
  const answer = readAnswer(value, { id, evidence }, (_rule, message) => void wrong.push(message));
  if (wrong.length > 0)
    notice('stream-envelope', `An event is no answer to the request. ${wrong[0]}`, evidence);
  if (answer?.kind === 'result') return isObject(answer.result) ? answer.result : null;
  return answer === null && isObject(value) ? value : null;
}

type Event = { readonly line: Line; readonly seen: Seen; readonly evidence: Envelope['evidence'] };

const kinds: Readonly<Record<string, string>> = {
  task: 'task',
  message: 'message',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
};

function lookAtEvent(result: JsonObject, { line, seen, evidence }: Event): void {
  const { notice, wire } = line;
  const look = { wire, evidence, notice };
  const { name, value } = wire.version === '0.3' ? oldEvent(result) : newEvent(result);
  if (name === null) {
    notice('stream-shape', `An event is not written as in A2A ${wire.version}.`, evidence);
    return;
  }
  if (seen.first && name !== 'task' && name !== 'message')
    notice('stream-first', 'Its stream does not begin with the task.', evidence);
  if (name === 'task') {
    const task = lookAtTask(value, look);
    seen.task ??= task.id;
    seen.context ??= task.context_id;
    seen.brought ||= task.ended_with_output;
    seen.state = task.state;
    // A task that has ended says so itself.
    seen.final = task.state !== null && restStates.includes(task.state);
  } else if (name === 'message') {
    lookAtMessage(value, look);
    seen.brought = true;
    seen.state = 'completed';
    seen.final = true;
  } else lookAtUpdate(name, value, { line, seen, evidence });
}

function lookAtUpdate(name: string, value: JsonObject, { line, seen, evidence }: Event): void {
  const { notice, wire } = line;
  const look = { wire, evidence, notice };
  if (seen.task !== null && value['taskId'] !== seen.task)
    notice('stream-task', 'An event is about another task.', evidence);
  if (seen.context !== null && value['contextId'] !== seen.context)
    notice('stream-task', 'An event is in another context.', evidence);
  if (name === 'statusUpdate') {
    seen.state = lookAtStatus(value['status'], look) ?? seen.state;
    seen.final = value['final'] === true;
    return;
  }
  const { artifact } = value;
  seen.brought = true;
  lookAtArtifact(artifact, look);
  const id = isObject(artifact) ? String(artifact['artifactId']) : '';
  if (value['append'] === true && !seen.artifacts.has(id))
    notice('stream-pieces', 'The first piece of an artifact says that it belongs to one before.', evidence);
  seen.artifacts.add(id);
}

type Named = { readonly name: string | null; readonly value: JsonObject };

function oldEvent(result: JsonObject): Named {
  const { kind } = result;
  return { name: typeof kind === 'string' ? (kinds[kind] ?? null) : null, value: result };
}

/** Exactly one of its members tells what it is. */
function newEvent(result: JsonObject): Named {
  const [name, second] = Object.values(kinds).filter((each) => isObject(result[each]));
  const value = name === undefined ? undefined : result[name];
  if (name === undefined || second !== undefined || !isObject(value)) return { name: null, value: {} };
  return { name, value };
}
