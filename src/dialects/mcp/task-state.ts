import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../rpc/messages.ts';
import { type Conversation, whole } from './conversation.ts';
import { pause } from './pause.ts';

/** Servers that do not say how often to ask are asked so often; */
const POLL_MS = 1000;
/** and nobody is asked more often or more seldom than this. */
const SHORTEST_MS = 20;
const LONGEST_MS = 60_000;
/** Questions in a row that may go wrong for a reason that may pass. */
const PATIENCE = 5;
const passing: readonly string[] = ['transport', 'server', 'timeout', 'rate_limit'];

export type State = { readonly task: JsonObject } | { readonly lost: GleitzeitError };

/** What has become of it by now. */
export async function nextState(
  talk: Conversation,
  { taskId, resumed, ms }: { readonly taskId: string; readonly resumed: boolean; readonly ms: number },
): Promise<State> {
  try {
    await pause(ms, talk.signal, talk.timers);
    const next = whole(await untilAnswered(talk, { method: 'tasks/get', taskId, ms }));
    const inner = own(next, 'task');
    return { task: isObject(inner) ? inner : next };
  } catch (thrown) {
    const error = GleitzeitError.from(thrown, 'GLZ2001');
    const { remote_code } = error.details;
    // A server that was replaced by one that has no tasks at all does not know it either.
    if (remote_code === INVALID_PARAMS || (resumed && remote_code === METHOD_NOT_FOUND))
      return { lost: forgotten(taskId, error) };
    throw error;
  }
}

type Question = { readonly method: string; readonly taskId: string; readonly ms: number };

/** The task goes on while its server cannot be asked, and is not to be begun anew for that. */
export async function untilAnswered(
  talk: Conversation,
  { method, taskId, ms }: Question,
): Promise<JsonObject> {
  for (let wait = ms, wrong = 1; ; wrong++) {
    try {
      const answer = await talk.ask(method, { taskId });
      talk.job.reached();
      return answer;
    } catch (thrown) {
      const error = GleitzeitError.from(thrown, 'GLZ2001');
      // What is said to whoever asks for a result may be the error that the result is.
      const said = method === 'tasks/result' && error.details.remote_code !== undefined;
      if (talk.signal.aborted || said || !passing.includes(error.class)) throw error;
      if (wrong === PATIENCE) throw talk.job.outOfReach(error);
    }
    wait = Math.min(wait === 0 ? POLL_MS : wait * 2, LONGEST_MS);
    await pause(wait, talk.signal, talk.timers);
  }
}

/** A server that began anew without its tasks: the call was lost with them, and can be made again. */
function forgotten(taskId: string, { message, details }: GleitzeitError): GleitzeitError {
  const said = `the server does not know its task ${taskId} any more: ${message}`;
  return new GleitzeitError('GLZ2002', said, details);
}

export function interval(task: JsonObject): number {
  const asked = own(task, 'pollIntervalMs') ?? own(task, 'pollInterval');
  const ms = typeof asked === 'number' && asked >= 0 ? asked : POLL_MS;
  return Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS);
}
