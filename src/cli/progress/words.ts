import type { TaskStatus } from '../../core/task.ts';
import type { Style } from '../output/paint.ts';
import type { Progress, TaskProgress } from './model.ts';
import { tellingOf } from './told.ts';

type Sign = { readonly icon: string; readonly word: string; readonly style: Style | null };

/** A status as an icon, a word and a colour: none of the three is needed to understand the other two. */
const signs: Readonly<Record<TaskStatus, Sign>> = {
  waiting: { icon: '○', word: 'waiting', style: 'gray' },
  queued: { icon: '◌', word: 'queued', style: null },
  validated: { icon: '◌', word: 'queued', style: null },
  routed: { icon: '◌', word: 'queued', style: null },
  executing: { icon: '●', word: 'running', style: 'cyan' },
  retrying: { icon: '↻', word: 'retrying', style: 'yellow' },
  input_required: { icon: '?', word: 'needs input', style: 'magenta' },
  completed: { icon: '✓', word: 'completed', style: 'green' },
  failed: { icon: '✗', word: 'failed', style: 'red' },
  cancelled: { icon: '⊘', word: 'cancelled', style: 'yellow' },
  skipped: { icon: '↷', word: 'skipped', style: 'gray' },
};

export function signOf({ status, reused }: TaskProgress): Sign {
  return reused ? { icon: '✓', word: 'reused', style: 'green' } : signs[status];
}

/** `0.3 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** How long it has been at work, retries included; null for one that never started. */
export function secondsOf({ started_at, ended_at }: TaskProgress, now: number): string | null {
  return started_at === null ? null : duration((ended_at ?? now) - started_at);
}

/** What is worth knowing beyond the status: which attempt, what it waits for, how far it is, why it failed. */
export function remarkOf(
  task: TaskProgress,
  progress: Pick<Progress, 'tasks' | 'status'>,
  now: number,
): string {
  const parts = [attemptOf(task), waitOf(task, progress, now), toldOf(task), reasonOf(task)];
  return parts.filter((part) => part !== null && part !== '').join(', ');
}

function attemptOf({ attempt, max_attempts, status }: TaskProgress): string | null {
  if (attempt < 2 && status !== 'retrying') return null;
  return max_attempts === null ? `attempt ${attempt}` : `attempt ${attempt}/${max_attempts}`;
}

function waitOf(task: TaskProgress, { tasks, status }: Pick<Progress, 'tasks' | 'status'>, now: number) {
  if (task.status === 'waiting') {
    const open = new Set(tasks.filter(({ ended_at }) => ended_at === null).map(({ id }) => id));
    const names = task.dependencies.filter((id) => open.has(id));
    return names.length === 0 ? null : `for ${listed(names)}`;
  }
  if (task.status === 'retrying') {
    const left = (task.retry_at ?? now) - now;
    return left <= 0
      ? 'again now'
      : `again in ${left < 1000 ? duration(left) : `${Math.ceil(left / 1000)} s`}`;
  }
  if (task.status === 'queued' && status === 'paused') return 'its run is paused';
  return task.status === 'queued' || task.status === 'input_required' ? task.waits : null;
}

function toldOf({ told, status }: TaskProgress): string | null {
  return told === null || status !== 'executing' ? null : tellingOf(told);
}

function reasonOf({ status, error, because }: TaskProgress): string | null {
  if (status === 'skipped') return because === null ? null : `because of ${because}`;
  return status === 'failed' || status === 'retrying' || status === 'cancelled' ? error : null;
}

const NAMED = 3;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} more` : shown;
}
