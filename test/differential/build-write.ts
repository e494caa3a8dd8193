import type { Answer } from '../../src/core/answer.ts';
import { GleitzeitError } from '../../src/core/errors.ts';
import type { TaskRow } from '../../src/core/records.ts';
import type { NewRun, Write } from '../../src/core/writes.ts';
import { arriving, handingOver, nextOf } from '../../src/store/suite/away.suite.ts';
import { agent, final, graph, lone, passing, retryOf } from '../../src/store/suite/build.suite.ts';
import { asking, keeping, responding } from '../../src/store/suite/outside.suite.ts';
import { reporting } from '../../src/store/suite/progress.suite.ts';
import { settling, starting } from '../../src/store/suite/scene.suite.ts';
import type { Outcome, TaskShape, WriteShape } from './operations.ts';

/** What a sequence has brought about so far, as far as later operations refer to it. */
export class Known {
  readonly tasks: string[] = [];
  readonly runs: string[] = [];
  readonly submitted: NewRun[] = [];
  /** Every claim ever made, dead ones too. */
  readonly leases: TaskRow[] = [];
  #count = 0;

  newId(prefix: string): string {
    this.#count++;
    return `${prefix}${this.#count}`;
  }

  remember(run: NewRun): NewRun {
    this.submitted.push(run);
    if (run.workflow !== null) this.runs.push(run.workflow.workflow_id);
    for (const { task_id } of run.tasks) this.tasks.push(task_id);
    return run;
  }
}

/** One of a list, mostly one of the newest. */
function pick<Item>(items: readonly Item[], number: number): Item | undefined {
  const window = number % 4 === 0 ? items : items.slice(-8);
  return window[number % Math.max(1, window.length)];
}

/** `earlier`: how many tasks were known before this commit. */
export function buildWrite(shape: WriteShape, known: Known, earlier: number): Write | null {
  switch (shape.write) {
    case 'submit_graph':
      return { kind: 'submit', runs: [known.remember(buildGraph(known.newId('w'), shape))] };
    case 'submit_lone':
      return {
        kind: 'submit',
        runs: shape.tasks.map((task) => known.remember(buildLone(known, task, shape.key))),
      };
    case 'submit_again': {
      const run = pick(known.submitted, shape.run);
      if (run === undefined) return null;
      // Without a key a task submitted again is a task whose id is taken, which has an operation of its own.
      if (run.workflow === null && run.idempotency_key === null) return null;
      return { kind: 'submit', runs: [shape.other_body ? { ...run, body_hash: 'another' } : run] };
    }
    case 'submit_taken_id': {
      const task_id = pick(known.tasks.slice(0, earlier), shape.task);
      return task_id === undefined ? null : { kind: 'submit', runs: [lone(task_id)] };
    }
    case 'submit_retry': {
      const run = pick(known.submitted, shape.run);
      return run === undefined || run.workflow === null ? null : buildRetry(known, run, shape);
    }
    case 'start':
    case 'progress':
    case 'keep':
    case 'settle':
    case 'hand_over':
    case 'release':
      return buildOnLease(shape, pick(known.leases, shape.lease));
    case 'arrive':
    case 'start_away':
    case 'progress_away':
    case 'keep_away':
      return buildAway(shape, pick(known.leases, shape.lease));
    case 'cancel_task':
      return { kind: shape.write, task_id: pick(known.tasks, shape.task) ?? 'none', reason: 'asked' };
    case 'respond': {
      const { said, attempt, early } = shape;
      const token = early || said === 1 ? 'mark' : null;
      return responding(pick(known.tasks, shape.task) ?? 'none', String(said), { attempt, early, token });
    }
    case 'retry_task':
      return { kind: shape.write, task_id: pick(known.tasks, shape.task) ?? 'none' };
    case 'cancel_run':
      return { kind: shape.write, workflow_id: pick(known.runs, shape.run) ?? 'none', reason: null };
    case 'pause_run':
    case 'resume_run':
      return { kind: shape.write, workflow_id: pick(known.runs, shape.run) ?? 'none' };
    default:
      return buildOther(shape, known);
  }
}

type OtherWrites =
  | 'wake_due'
  | 'rescue'
  | 'join'
  | 'beat'
  | 'leave'
  | 'reconcile'
  | 'prune'
  | 'put_document'
  | 'delete_document'
  | 'put_agent'
  | 'delete_agent'
  | 'pause_queue'
  | 'resume_queue'
  | 'announce';

function buildOther(shape: Extract<WriteShape, { write: OtherWrites }>, known: Known): Write {
  switch (shape.write) {
    case 'wake_due':
    case 'rescue':
      return { kind: shape.write, limit: shape.limit };
    case 'join':
    case 'beat':
      return { kind: shape.write, owner: shape.owner, ttl_ms: 20_000 };
    case 'leave':
      return { kind: 'leave', owner: shape.owner };
    case 'reconcile': {
      const held = known.leases.slice(-shape.held).map(({ task_id, fence }) => ({ task_id, fence }));
      return { kind: 'reconcile', owner: shape.owner, held };
    }
    case 'prune':
      return { kind: 'prune', keep_ms: shape.keep_ms, limit: 1000 };
    case 'put_document':
      return { kind: 'put_document', ...nameOf(shape.key), text: known.newId('text'), expect: shape.expect };
    case 'delete_document':
      return { kind: 'delete_document', ...nameOf(shape.key), expect: shape.expect };
    case 'put_agent':
      return { kind: 'put_agent', agent: buildAgent(shape.agent, known), expect: shape.expect };
    case 'delete_agent':
      return { kind: 'delete_agent', name: `a${shape.agent}`, expect: shape.expect };
    case 'pause_queue':
    case 'resume_queue':
      return { kind: shape.write, protocol: shape.lane };
    case 'announce':
      return {
        kind: 'announce',
        happening: { event: 'provider:connected', data: { provider: 'p1', protocol: 'test/v1' } },
      };
  }
}

const buildAgent = (number: number, known: Known) =>
  agent(`a${number}`, {
    id: known.newId('agent'),
    protocol: `p${number % 2}`,
    settings: known.newId('text'),
  });

const nameOf = (key: number) => ({ collection: `c${key % 2}`, key: `k${key}` });

function buildOnLease(
  shape: Extract<WriteShape, { write: 'start' | 'progress' | 'keep' | 'settle' | 'hand_over' | 'release' }>,
  lease: TaskRow | undefined,
): Write | null {
  if (lease === undefined) return null;
  const { task_id, fence, owner } = lease;
  if (shape.write === 'start') return starting(lease);
  if (shape.write === 'progress') {
    const told = { progress: shape.size, ...(shape.size % 2 === 0 ? { text: payload(shape.size) } : {}) };
    const write = reporting(lease, told);
    // Not of the attempt that runs.
    return shape.next ? write : { ...write, start: { ...write.start, attempt: write.start.attempt + 1 } };
  }
  if (shape.write === 'keep') return keeping(lease, payload(shape.size));
  if (shape.write === 'settle') {
    const settle = settling(lease, answerOf(shape.outcome));
    return shape.started ? settle : { ...settle, start: null };
  }
  if (shape.write === 'hand_over') return handingOver(lease, shape.bound_ms);
  return { kind: 'release', owner: owner ?? '', leases: [{ task_id, fence }] };
}

type AwayWrites = 'arrive' | 'start_away' | 'progress_away' | 'keep_away';

/** By whoever hears of it: nobody has to hold the task. */
function buildAway(
  shape: Extract<WriteShape, { write: AwayWrites }>,
  lease: TaskRow | undefined,
): Write | null {
  if (lease === undefined) return null;
  const next = nextOf(lease);
  const name = { ...next, attempt: next.attempt + shape.further };
  switch (shape.write) {
    case 'start_away':
      return { kind: 'start_away', ...name, ago_ms: 3 };
    case 'progress_away':
      return { kind: 'progress_away', ...name, told: { text: 'on' } };
    case 'keep_away':
      return { kind: 'keep_away', ...name, kept: '{"job":1}' };
    case 'arrive': {
      const provider = [null, 'p1', 'p1', 'p2'][shape.from] ?? null;
      return arriving(name, answerOf(shape.outcome), { provider, ago_ms: shape.from });
    }
  }
}

export function answerOf(outcome: Outcome): Answer {
  switch (outcome.word) {
    case 'done':
      return { word: 'done', result: payload(outcome.size) };
    case 'again':
      return { word: 'again', after_ms: outcome.after_ms, reason: 'busy' };
    case 'slow_down':
      return {
        word: 'failed',
        error: new GleitzeitError('GLZ2004', 'slow down', { retry_after_ms: 700 }).toRecord(),
      };
    case 'input':
    case 'notification': {
      const { word: kind, after_ms, late } = outcome;
      return asking({ kind, after_ms, late, token: kind === 'input' ? null : 'mark' });
    }
    default:
      return { word: 'failed', error: outcome.word === 'final' ? final : passing };
  }
}

const payload = (size: number) => JSON.stringify('ü'.repeat(size));

function buildGraph(workflow_id: string, shape: { tasks: readonly TaskShape[]; key: number | null }): NewRun {
  const tasks = shape.tasks.map((task, index): [string, object] => {
    const after = index === 0 ? [] : [...new Set(task.after.map((number) => `t${number % index}`))];
    return [`t${index}`, { ...detailsOf(task), after, reads: after, uses_input: task.size % 2 === 0 }];
  });
  return graph(workflow_id, Object.fromEntries(tasks), {
    name: `n${shape.tasks.length % 2}`,
    input: payload(shape.tasks[0]?.size ?? 0),
    idempotency_key: shape.key === null ? null : `graph ${shape.key}`,
    body_hash: `of ${shape.tasks.length}`,
  });
}

/** The first few tasks are before all others, since each comes after earlier ones only. */
function buildRetry(known: Known, run: NewRun, shape: { reused: number; size: number }): Write {
  const reused = run.tasks.slice(0, Math.min(shape.reused, run.tasks.length - 1));
  const results = reused.map(({ id }, index): [string, string] => [
    id,
    payload(index === 0 ? shape.size : index),
  ]);
  const retry = retryOf(run, known.newId('r'), Object.fromEntries(results));
  return { kind: 'submit', runs: [known.remember(retry)] };
}

function buildLone(known: Known, task: TaskShape, key: number | null): NewRun {
  const idempotency_key = key === null ? null : `lone ${key}`;
  return lone(known.newId('l'), detailsOf(task), { idempotency_key, body_hash: 'of one' });
}

function detailsOf(task: TaskShape) {
  return {
    priority: task.priority,
    lane: task.lane,
    total_timeout: task.total_timeout,
    params: payload(task.size),
    on_failure: task.continues ? ('continue' as const) : ('skip' as const),
    ...(task.traced ? { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' } : {}),
  };
}
