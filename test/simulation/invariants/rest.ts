import type { Client } from '../world/client.ts';
import type { Nature } from '../world/nature.ts';
import type { Params } from '../world/planned.ts';
import type { Submission } from '../world/submissions.ts';
import type { Subscriber } from '../world/subscriber.ts';
import type { Calls } from './calls.ts';
import { type Log, sameEvent } from './log.ts';
import type { Shadow } from './step.ts';

export type RestParts = {
  readonly nature: Nature;
  readonly client: Client;
  readonly shadow: Shadow;
  readonly log: Log;
  readonly calls: Calls;
  readonly subscribers: readonly Subscriber[];
};

/** What must hold once the world has come to rest. */
export function checkRest(parts: RestParts): void {
  const { nature, log, shadow } = parts;
  for (const row of nature.data.tasks.values()) {
    if (row.settled_at === null)
      nature.fail('everything settles', `${row.task_id} is ${row.status} at the end`);
    if (row !== shadow.tasks.get(row.task_id)) nature.fail('only commits change rows', row.task_id);
  }
  log.compare(nature.data);
  checkSubmissions(parts);
  for (const subscriber of parts.subscribers) checkFeed(parts, subscriber);
  checkPoison(parts);
}

function checkSubmissions({ nature, client }: RestParts): void {
  const copies = new Map<string, number>();
  for (const { task_id, params } of nature.data.bodies.values()) {
    if (isRetried(nature, task_id)) continue;
    const { tag } = JSON.parse(params) as Params;
    copies.set(tag, (copies.get(tag) ?? 0) + 1);
  }
  const pruning = nature.weather.keep_ms < 1e9;
  for (const submission of client.submissions.all) {
    const counts = submission.tasks.map(({ params }) => copies.get(params.tag) ?? 0);
    const fail = (invariant: string) =>
      nature.fail(invariant, `${submission.name} (${submission.key}): ${counts.join()}`);
    if (counts.some((count) => count > 1)) fail('what was submitted once is there once');
    if (new Set(counts).size > 1 && !pruning) fail('all of it or nothing');
    if (submission.accepted !== null && counts[0] === 0 && !pruning) fail('nothing accepted is lost');
    if (submission.refused && submission.accepted === null && counts[0] !== 0 && !pruning)
      fail('what is refused leaves nothing');
    if (!submission.sent && counts[0] !== 0) fail('nothing comes from nowhere');
  }
  for (const [key, submissions] of client.submissions.byKey) {
    const present = submissions.filter(({ tasks }) => copies.has(tasks[0]?.params.tag ?? ''));
    if (present.length > 1) nature.fail('idempotency', `${key} stands for ${present.length} bodies`);
  }
}

/** A run that is retried brings the same tasks again. */
function isRetried({ data }: Nature, task_id: string): boolean {
  return data.runs.get(data.tasks.get(task_id)?.workflow_id ?? '')?.retry_of != null;
}

/** Whoever came back each time with the last cursor has seen every event once. */
function checkFeed({ nature, log }: RestParts, { seen, names }: Subscriber): void {
  if (nature.weather.keep_ms < 1e9) return;
  const expected = names === null ? log.events : log.events.filter(({ event }) => names.includes(event));
  const wrong = expected.findIndex((event, index) => !sameEvent(event, seen[index]));
  if (wrong === -1 && seen.length === expected.length) return;
  const cursor = expected[wrong]?.cursor;
  nature.fail(
    'subscribers see every event once',
    `${seen.length} of ${expected.length}, wrong at cursor ${cursor}`,
  );
}

/**
 * What kills its engine each time does so once for each attempt, and once before anybody suspects it; an attempt that
 * ended (nobody served it, its inputs could not be read) takes the suspicion away again.
 */
function checkPoison({ nature, calls, shadow, log }: RestParts): void {
  const deaths = new Map<string, number>();
  for (const { call_id, params } of calls.records) {
    if (params.kind === 'poison') deaths.set(call_id, (deaths.get(call_id) ?? 0) + 1);
  }
  for (const [call_id, count] of deaths) {
    const [task_id = ''] = call_id.split('.');
    const most = shadow.data.bodies.get(task_id)?.spec.retry_config.max_attempts ?? Number.POSITIVE_INFINITY;
    const cleared = log.events.filter(
      (event) => event.task_id === task_id && event.event === 'task:retrying',
    );
    if (count > most + 1 + cleared.length) {
      nature.fail('a poison task is stopped', `${call_id} killed ${count} engines`);
    }
  }
}

/** Checked the moment an engine says "accepted": it must be in the store already. */
export function checkAccepted(
  { nature, client }: Pick<RestParts, 'nature' | 'client'>,
  submission: Submission,
  runs: NonNullable<Submission['accepted']>,
): void {
  const { data } = nature;
  const fail = (invariant: string, detail: string) => nature.fail(invariant, `${submission.name}: ${detail}`);
  const ids = runs.flatMap((run) => run.tasks.map(([, task_id]) => task_id));
  const pruning = nature.weather.keep_ms < 1e9;
  const missing = ids.find((task_id) => !data.tasks.has(task_id));
  if (missing !== undefined && !pruning)
    fail('submit returns after the commit', `${missing} is not in the store`);
  if (ids.length !== submission.tasks.length)
    fail('submit answers all ids', `${ids.length} of ${submission.tasks.length}`);
  if (submission.mustConflict && !pruning) fail('idempotency', 'another body was accepted under a used key');
  for (const task_id of ids) {
    const { tag } = JSON.parse(data.bodies.get(task_id)?.params ?? '{}') as { tag?: string };
    const known = client.planner.byTag.get(tag ?? '')?.definition;
    if (known !== undefined && !submission.tasks.includes(known))
      fail('idempotency', `${task_id} is another task`);
  }
  const before = submission.accepted?.flatMap((run) => run.tasks.map(([, task_id]) => task_id));
  if (before !== undefined && before.join() !== ids.join() && !pruning)
    fail('idempotency', `other ids than before: ${ids.join()}`);
  if (runs.some(({ created }) => created)) submission.created++;
  if (submission.created > 1 && !pruning) fail('idempotency', 'created again');
}
