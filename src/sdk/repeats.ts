/** Methods that change nothing, so that one that was cut can be asked again. A test holds the list against the API. */
const reads: ReadonlySet<string> = new Set([
  'task.status',
  'task.result',
  'task.list',
  'workflow.status',
  'workflow.results',
  'workflow.list',
  'workflow.definitions',
  'queue.list',
  'queue.stats',
  'protocol.list',
  'protocol.get',
  'protocol.stats',
  'function.list',
  'provider.list',
  'provider.status',
  'agent.list',
  'agent.get',
  'event.list',
  'system.info',
  'rpc.discover',
  'auth.ticket',
]);

/** Whether a call whose answer was lost may be sent again: it reads, or has a key by which the server knows it again. */
export function mayRepeat(method: string, params: unknown): boolean {
  if (reads.has(method)) return true;
  // The same answer to the same question is taken once.
  if (method === 'task.respond') return isRecord(params) && typeof params['attempt'] === 'number';
  if (method !== 'task.submit_many') return hasKey(params);
  const tasks = isRecord(params) ? params['tasks'] : undefined;
  return Array.isArray(tasks) && tasks.length > 0 && tasks.every(hasKey);
}

function hasKey(value: unknown): boolean {
  return isRecord(value) && typeof value['idempotency_key'] === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
