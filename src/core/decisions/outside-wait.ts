import type { OutsideWait } from '../answer.ts';
import type { Ledger } from '../ledger.ts';
import { lastProvider, withOutside } from '../outside.ts';
import type { EarlyRecord, ToldWait, WaitRecord } from '../outside-record.ts';
import { rankOf } from '../priority.ts';
import type { TaskRow } from '../records.ts';
import { waitFor } from '../retry.ts';
import { follow } from '../task.ts';
import { cutAttempt } from './end-attempt.ts';
import { parkedNow } from './lease.ts';

/**
 * The attempt ended without failure, and does not count: someone outside has to do something before the next one. Nobody
 * holds the task meanwhile; it waits in the store, whatever becomes of its engine.
 */
export function waitOutside(ledger: Ledger, task: TaskRow, asked: OutsideWait): TaskRow {
  const { kind, ask, late, token } = asked;
  const until = asked.after_ms === null ? null : ledger.now + waitFor(asked.after_ms);
  const status = follow(kind === 'notification' ? 'await' : 'ask', task.status);
  const ended = cutAttempt(ledger, task, null);
  const text = JSON.stringify(asked.kept);
  const hash = ledger.hash(text);
  const provider = lastProvider(task.attempts);
  const wait: WaitRecord = { kind, ask, until, late, token, answer: null };
  const early = ended.attempts.at(-1)?.outside?.early;
  const row: TaskRow = {
    ...ended,
    status,
    attempt_base: task.attempt_base + 1,
    due_at: earlier(until, task.expires_at),
    error: null,
    // What came for the question before has been used; what came early may be the answer to this one.
    attempts: withOutside(ended.attempts, () => ({
      kept: { provider, hash, text },
      ...(early && { early }),
      wait,
    })),
  };
  const told: ToldWait = { kind, ask, until, late };
  const event = kind === 'notification' ? 'task:notification_awaited' : 'task:input_required';
  ledger.tell(row, event, { attempt: row.attempt_count, kept_hash: hash, ...told });
  // A service may call back before it is written down that we wait for it.
  if (kind === 'notification' && early !== undefined) return answer(ledger, row, { wait, came: early });
  return put(ledger, row);
}

/** The task goes on with what came. */
export function answer(ledger: Ledger, task: TaskRow, { wait, came }: Answering): TaskRow {
  const { hash, text, mark } = came;
  const attempts = withOutside(task.attempts, ({ early: _, ...outside }) => ({
    ...outside,
    response: { hash, text },
    wait: { ...wait, answer: mark },
  }));
  ledger.tell(task, 'task:responded', { attempt: task.attempt_count, response_hash: hash });
  return goOn(ledger, { ...task, attempts }, 'responded');
}

type Answering = { readonly wait: WaitRecord; readonly came: EarlyRecord };

/** Back into the queue; what happened before the wait is nothing that its budget of retries would have to cover. */
export function goOn(ledger: Ledger, task: TaskRow, reason: 'responded' | 'unanswered'): TaskRow {
  const row: TaskRow = {
    ...task,
    status: follow('resume', task.status),
    rank: rankOf(task.priority, ledger.now),
    parked: parkedNow(ledger, task),
    due_at: task.expires_at,
    budget_from: null,
  };
  ledger.tell(row, 'task:queued', { reason });
  return put(ledger, row);
}

function put(ledger: Ledger, row: TaskRow): TaskRow {
  ledger.putTask(row);
  return row;
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
