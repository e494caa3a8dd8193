import { isRunSettled } from '../../core/run.ts';
import { isSettled } from '../../core/task.ts';
import type { Client, GleitzeitEvent } from '../../sdk/index.ts';
import type { Progress, TaskProgress } from '../progress/model.ts';
import type { Shower } from '../progress/shower.ts';
import { lastWord } from './last-word.ts';
import type { Subject } from './subject.ts';

export type FollowParts = {
  readonly client: Client;
  readonly subject: Subject;
  readonly progress: Progress;
  readonly shower: Shower;
  readonly signal: AbortSignal;
  /** It was started just now: its first end is its end. */
  readonly fresh?: boolean | undefined;
};

/** Everything that happened to it and what happens from now on, until it has ended or the signal says enough. */
export async function follow(parts: FollowParts): Promise<'settled' | 'stopped'> {
  const { client, subject, progress, shower, signal } = parts;
  const { kind: _, ...filter } = subject;
  for await (const event of client.events({ ...filter, cursor: 0 }, { signal })) {
    const task = progress.take(event);
    if (event.event === 'task:retrying' && task?.max_attempts === null) await learn(parts, task);
    shower.took(event, task === null ? null : (progress.task(task.task_id) ?? task));
    if (await hasEnded(parts, event)) return 'settled';
  }
  return 'stopped';
}

/** Something that ended may have been opened again since: only the newest end is one. */
async function hasEnded(
  { client, subject, progress, fresh = false }: FollowParts,
  event: GleitzeitEvent,
): Promise<boolean> {
  if (subject.kind === 'run') {
    if (!progress.settled || !event.event.startsWith('workflow:')) return false;
    if (fresh) return true;
    const asking = client.call('workflow.status', { ...runOf(subject), limit: 1 });
    const { status, settled_at } = await lastWord(asking, subject, progress);
    return isRunSettled(status) && isNewest(event, settled_at);
  }
  const status = progress.task(subject.task_id)?.status;
  if (status === undefined || !isSettled(status)) return false;
  const asking = client.call('task.status', { task_id: subject.task_id });
  const now = await lastWord(asking, subject, progress);
  return isSettled(now.status) && isNewest(event, now.settled_at);
}

function runOf({ workflow_id }: Extract<Subject, { kind: 'run' }>): { workflow_id: string } {
  return { workflow_id };
}

function isNewest({ at }: GleitzeitEvent, settled_at: string | null): boolean {
  return settled_at === null || Date.parse(at) >= Date.parse(settled_at);
}

/** How often it may be tried, and what it waits for, is not in its events. */
export async function learn(
  { client, progress, signal }: Pick<FollowParts, 'client' | 'progress' | 'signal'>,
  { task_id }: TaskProgress,
): Promise<{ readonly needs_input: boolean }> {
  const { retry_config, waiting_for } = await client.call('task.status', { task_id }, { signal });
  const waits = waiting_for === null ? null : wordsFor(waiting_for);
  progress.learn(task_id, { max_attempts: retry_config.max_attempts, waits });
  return { needs_input: waiting_for?.kind === 'input' || waiting_for?.kind === 'auth' };
}

function wordsFor({ kind, key }: { readonly kind: string; readonly key: string | null }): string | null {
  if (kind === 'provider') return `no provider serves ${key ?? 'its method'}`;
  if (kind === 'bridge') return `no bridge has begun the call to ${key ?? 'its provider'}`;
  if (kind === 'concurrency') return `as many calls as allowed are under way: ${key}`;
  if (kind === 'rate') return `as many calls as allowed were made: ${key}`;
  if (kind === 'breaker') return `nobody is asked for a while after failures: ${key}`;
  if (kind === 'unhealthy') return `it does not answer when asked how it is: ${key}`;
  if (kind === 'drained') return `nobody is asked until somebody resumes it: ${key}`;
  return kind === 'paused' ? 'paused' : null;
}
