import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import { troubleOf } from './answer.ts';
import type { Conversation } from './conversation.ts';
import { type Generation, handleOf, readHandle } from './task-handle.ts';
import { interval, nextState, untilAnswered } from './task-state.ts';

const CANCEL_MS = 5000;

/** The task that a server made of a call; null where it answered the call itself. */
export function taskIn(
  result: JsonObject,
): { readonly task: JsonObject; readonly generation: Generation } | null {
  if (own(result, 'resultType') === 'task') return { task: result, generation: 'extension' };
  const task = own(result, 'task');
  return isObject(task) && typeof own(task, 'taskId') === 'string'
    ? { task, generation: 'experiment' }
    : null;
}

/**
 * Asks until the task has ended, and gives what the call would have given. It is kept before it is asked for, so that a
 * next attempt goes on with it; one that nobody wants any more is cancelled.
 */
export async function followTask(
  talk: Conversation,
  { task, generation }: NonNullable<ReturnType<typeof taskIn>>,
  tool: string,
): Promise<JsonObject> {
  const taskId = own(task, 'taskId');
  if (typeof taskId !== 'string') throw new GleitzeitError('GLZ2005', 'the answer is a task without an id');
  talk.report(`the server works on it as its task ${taskId}`);
  const ended = await cancelled(talk, taskId, async () => {
    await talk.job.keep(handleOf({ taskId, generation, tool }));
    return untilEnded(talk, { taskId, task, generation, resumed: false });
  });
  if ('lost' in ended) throw ended.lost;
  return ended.result;
}

/** Goes on with the task that an earlier attempt left; null where there is none, or the server has forgotten it. */
export async function resumeTask(talk: Conversation, tool: string): Promise<JsonObject | null> {
  const handle = talk.job.left === null ? null : readHandle(talk.job.left);
  if (handle === null || handle.tool !== tool) return null;
  const { taskId, generation } = handle;
  talk.job.resume();
  talk.report(`the server is asked for its task ${taskId}, which an earlier attempt began`);
  const ended = await cancelled(talk, taskId, async (): Promise<Ended> => {
    const state = await nextState(talk, { taskId, resumed: true, ms: 0 });
    if ('lost' in state) return state;
    return untilEnded(talk, { taskId, task: state.task, generation, resumed: true });
  });
  if ('result' in ended) return ended.result;
  talk.job.drop();
  talk.report(`${ended.lost.message}; it is begun anew`);
  return null;
}

/** Follows a task, and tells the server where the call was given up and nobody goes on with it. */
async function cancelled(talk: Conversation, taskId: string, follow: () => Promise<Ended>): Promise<Ended> {
  try {
    return await follow();
  } catch (thrown) {
    const over = talk.signal.aborted || GleitzeitError.from(thrown).code === 'GLZ3011';
    if (over && talk.job.isUnwanted(talk.signal)) {
      const signal = AbortSignal.timeout(CANCEL_MS);
      talk.ask('tasks/cancel', { taskId }, { signal }).catch(() => {});
    }
    throw thrown;
  }
}

type Followed = {
  readonly taskId: string;
  readonly task: JsonObject;
  readonly generation: Generation;
  /** Begun by an earlier attempt. */
  readonly resumed: boolean;
};

/** `lost`: its server does not know it any more. */
type Ended = { readonly result: JsonObject } | { readonly lost: GleitzeitError };

async function untilEnded(talk: Conversation, followed: Followed): Promise<Ended> {
  const { taskId, generation, resumed } = followed;
  const answered = new Set<string>();
  let message: unknown;
  for (let { task } = followed; ; ) {
    const status = own(task, 'status');
    if (own(task, 'statusMessage') !== message) {
      message = own(task, 'statusMessage');
      if (typeof message === 'string') talk.report(message);
      talk.touch();
    }
    if (status === 'input_required' && generation === 'extension') await give(talk, task, answered);
    // Whoever asks for the result of the older kind is also asked for input there.
    else if (status === 'completed' || (status === 'input_required' && generation === 'experiment'))
      return { result: await resultFrom(talk, { ...followed, task }) };
    else if (status === 'failed' || status === 'cancelled') throw await failure(talk, { ...followed, task });
    else if (status !== 'working')
      throw new GleitzeitError('GLZ2005', `the task ${taskId} has no status that is known`);
    const state = await nextState(talk, { taskId, resumed, ms: interval(task) });
    if ('lost' in state) return state;
    task = state.task;
  }
}

async function give(talk: Conversation, task: JsonObject, answered: Set<string>): Promise<void> {
  const requests = own(task, 'inputRequests');
  const open = Object.entries(isObject(requests) ? requests : {}).filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  const inputResponses = talk.inputs.answers(Object.fromEntries(open));
  for (const [key] of open) answered.add(key);
  await talk.ask('tasks/update', { taskId: String(own(task, 'taskId')), inputResponses });
}

async function resultFrom(talk: Conversation, { taskId, task, generation }: Followed): Promise<JsonObject> {
  if (generation === 'experiment')
    return untilAnswered(talk, { method: 'tasks/result', taskId, ms: interval(task) });
  const result = own(task, 'result');
  if (isObject(result)) return result;
  throw new GleitzeitError('GLZ2005', `the task ${taskId} is completed and has no result`);
}

async function failure(talk: Conversation, { taskId, task, generation }: Followed): Promise<GleitzeitError> {
  const error = own(task, 'error');
  const status = String(own(task, 'status'));
  if (isObject(error) && typeof error['code'] === 'number') {
    const said = { code: error['code'], message: String(error['message'] ?? 'no message given') };
    return troubleOf({ answer: { error: said }, status: null, text: '', session: null }, '');
  }
  if (generation === 'experiment' && status === 'failed') {
    // The reason is told to whoever asks for the result.
    const reason = await talk.ask('tasks/result', { taskId }).then(() => null, GleitzeitError.from);
    if (reason !== null) return reason;
  }
  const why = own(task, 'statusMessage');
  return new GleitzeitError(
    'GLZ2001',
    `the task ${taskId} of the server is ${status}${typeof why === 'string' ? `: ${why}` : ''}`,
  );
}
