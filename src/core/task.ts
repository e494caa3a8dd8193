import { GleitzeitError } from './errors.ts';

/** Each word means one thing, for ever. */
export const taskStatuses = [
  'waiting',
  'queued',
  'validated',
  'routed',
  'executing',
  'retrying',
  'input_required',
  'completed',
  'failed',
  'cancelled',
  'skipped',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export type SettledStatus = 'completed' | 'failed' | 'cancelled' | 'skipped';

export function isSettled(status: TaskStatus): status is SettledStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'skipped';
}

type Arrow = { readonly from: readonly (TaskStatus | 'new')[]; readonly to: TaskStatus };

/** The one table of what may follow what. A status changes by one of these names or not at all. */
export const transitions = {
  wait: { from: ['new'], to: 'waiting' },
  enqueue: { from: ['new'], to: 'queued' },
  release: { from: ['waiting'], to: 'queued' },
  validate: { from: ['queued'], to: 'validated' },
  route: { from: ['validated'], to: 'routed' },
  /** By the result of the same task in an earlier run. */
  reuse: { from: ['queued'], to: 'completed' },
  start: { from: ['routed'], to: 'executing' },
  complete: { from: ['executing'], to: 'completed' },
  retry: { from: ['executing'], to: 'retrying' },
  /** Someone outside has to answer first. */
  ask: { from: ['executing'], to: 'input_required' },
  /** A service outside goes on with it, and calls back. */
  await: { from: ['executing'], to: 'executing' },
  /** The answer came, or its time was up. */
  resume: { from: ['input_required', 'executing'], to: 'queued' },
  become_due: { from: ['retrying'], to: 'queued' },
  rescue: { from: ['executing'], to: 'queued' },
  fail: { from: ['queued', 'routed', 'executing', 'retrying', 'input_required'], to: 'failed' },
  skip: { from: ['waiting'], to: 'skipped' },
  cancel: {
    from: ['waiting', 'queued', 'routed', 'executing', 'retrying', 'input_required'],
    to: 'cancelled',
  },
  reopen: { from: ['failed', 'cancelled'], to: 'queued' },
  wait_again: { from: ['skipped', 'failed', 'cancelled'], to: 'waiting' },
} as const satisfies Record<string, Arrow>;

export type Transition = keyof typeof transitions;

export function allows(transition: Transition, from: TaskStatus | 'new'): boolean {
  return (transitions[transition].from as readonly string[]).includes(from);
}

/** The status after a transition; refuses what the table does not have. */
export function follow(transition: Transition, from: TaskStatus | 'new'): TaskStatus {
  if (!allows(transition, from)) {
    const legal = transitions[transition].from.join(', ');
    throw new GleitzeitError('GLZ1011', `a task that is ${from} cannot ${transition.replaceAll('_', ' ')}`, {
      reason: `${transition} starts from: ${legal}`,
    });
  }
  return transitions[transition].to;
}
