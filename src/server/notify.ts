import { GleitzeitError } from '../core/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { HttpRequest, PlainAnswer, TreeRequest, TreeRoute } from '../rpc/listener/route.ts';

export const NOTIFY_PATH = '/notify';

const taskPath = /^\/notify\/([^/]+)$/;
const accepted: PlainAnswer = { status: 202, type: 'application/json; charset=utf-8', body: '{}' };
const soon: PlainAnswer = {
  ...accepted,
  status: 503,
  body: '{"hint":"the task has only just begun: say it again"}',
  headers: { 'retry-after': '1' },
};

export type NotifyParts = { readonly engine: Pick<Engine, 'responses'> };

/**
 * Where services call back about a task that waits for them. They have no key of the API: each proves itself by the token
 * that it was given with the call. Whether there is such a task is told to nobody else.
 */
export function notifyRoute({ engine }: NotifyParts): TreeRoute {
  return {
    kind: 'tree',
    path: NOTIFY_PATH,
    access: 'open',
    methodsAt: (path) => (taskPath.test(path) ? ['POST'] : []),
    there: () => [`${NOTIFY_PATH}/{task_id}`],
    answer: (request) => answer(engine, request),
  };
}

async function answer({ responses }: NotifyParts['engine'], request: TreeRequest): Promise<PlainAnswer> {
  const token = tokenOf(request);
  if (token === undefined) throw noToken();
  const said = await responses.notify(taskOf(request), { token, body: request.body ?? null });
  if (said === 'unknown') throw unknown();
  return said === 'soon' ? soon : accepted;
}

function taskOf({ path }: HttpRequest): string {
  const [, segment = ''] = taskPath.exec(path) ?? [];
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** In the header that A2A has for it, or as credentials of whatever scheme. */
function tokenOf({ headers }: HttpRequest): string | undefined {
  const own = headers['x-a2a-notification-token'];
  if (typeof own === 'string' && own !== '') return own;
  const [, credentials] = /^\S+ +(\S.*)$/.exec(headers.authorization ?? '') ?? [];
  return credentials;
}

function noToken(): GleitzeitError {
  return new GleitzeitError('GLZ4001', 'a notification has to come with its token', {
    hint: 'send the token that came with the address, as X-A2A-Notification-Token or Authorization: Bearer <token>',
  });
}

function unknown(): GleitzeitError {
  return new GleitzeitError('GLZ1010', 'nobody waits for this notification', {
    reason: 'there is no such task, or this is not its token',
  });
}
