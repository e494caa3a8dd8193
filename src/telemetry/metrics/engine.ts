import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Answer } from '../../core/answer.ts';
import { classOf } from '../../core/errors.ts';
import type { Observer } from '../../core/ports/observer.ts';
import { Recent } from '../../core/recent.ts';
import { OTHER } from './labels.ts';

export const CALL_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const COMMIT_WRITES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2048];

/** How many tasks are remembered by protocol until they settle. */
const REMEMBERED = 20_000;

/** What the engine does, counted. */
export function engineMetrics(registry: Registry, protocolLabel: (name: string) => string): Observer {
  const registers = [registry];
  const submitted = new Counter({
    name: 'gleitzeit_tasks_submitted_total',
    help: 'Tasks accepted.',
    labelNames: ['protocol'],
    registers,
  });
  const runs = new Counter({
    name: 'gleitzeit_workflows_submitted_total',
    help: 'Runs of workflows accepted; tasks submitted alone are not among them.',
    registers,
  });
  const settled = new Counter({
    name: 'gleitzeit_tasks_settled_total',
    help: 'Tasks that reached their end.',
    labelNames: ['protocol', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'gleitzeit_attempt_duration_seconds',
    help: 'How long attempts took, by how they ended.',
    labelNames: ['protocol', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  });
  const running = new Gauge({
    name: 'gleitzeit_attempts_running',
    help: 'Attempts under way in this process.',
    registers,
  });
  const retries = new Counter({
    name: 'gleitzeit_retries_total',
    help: 'Attempts that were not the first of their task.',
    labelNames: ['protocol'],
    registers,
  });
  const stored = storeMetrics(registry);
  // What settles a task knows its id alone; its protocol was seen when its attempt started.
  const protocols = new Recent<string>({ most: REMEMBERED, characters: Number.POSITIVE_INFINITY });
  return {
    ...stored,
    submitted: (accepted) => {
      for (const { workflow, tasks } of accepted) {
        if (workflow !== null) runs.inc();
        for (const { spec } of tasks) submitted.inc({ protocol: protocolLabel(spec.protocol) });
      }
    },
    attemptStarted: ({ task, spec, attempt }) => {
      const protocol = protocolLabel(spec.protocol);
      protocols.set(task.task_id, protocol);
      running.inc();
      if (attempt > 1) retries.inc({ protocol });
      return {
        traceparent: null,
        ended: (answer, ms) => {
          running.dec();
          durations.observe({ protocol, outcome: outcomeOf(answer) }, ms / 1000);
        },
        left: () => running.dec(),
      };
    },
    arrived: (attempt, answer, ms) => {
      const protocol = protocolLabel(attempt.protocol);
      protocols.set(attempt.task_id, protocol);
      durations.observe({ protocol, outcome: outcomeOf(answer) }, ms / 1000);
    },
    settled: ({ task_id, status }) => {
      settled.inc({ protocol: protocols.get(task_id) ?? OTHER, status });
      protocols.delete(task_id);
    },
  };
}

function storeMetrics(registry: Registry): Pick<Observer, 'committed' | 'commitFailed' | 'leaseLost'> {
  const registers = [registry];
  const durations = new Histogram({
    name: 'gleitzeit_commit_duration_seconds',
    help: 'How long commits to the store took.',
    buckets: COMMIT_SECONDS,
    registers,
  });
  const sizes = new Histogram({
    name: 'gleitzeit_commit_writes',
    help: 'How many writes a commit carried.',
    buckets: COMMIT_WRITES,
    registers,
  });
  const claimed = new Counter({
    name: 'gleitzeit_tasks_claimed_total',
    help: 'Tasks this process took from the store to run them.',
    registers,
  });
  const errors = new Counter({
    name: 'gleitzeit_store_errors_total',
    help: 'Commits that failed, or of which nobody knows whether they did.',
    labelNames: ['error_code'],
    registers,
  });
  const lost = new Counter({
    name: 'gleitzeit_leases_lost_total',
    help: 'How often others gave this engine up for dead while it was alive.',
    registers,
  });
  return {
    committed: (commit) => {
      durations.observe(commit.ms / 1000);
      sizes.observe(commit.writes);
      if (commit.claimed > 0) claimed.inc(commit.claimed);
    },
    commitFailed: (error_code) => errors.inc({ error_code }),
    leaseLost: () => lost.inc(),
  };
}

/** One word for an attempt's end: done, again, outside, withdrawn, the class of its error, or dropped where its task was taken away. */
function outcomeOf(answer: Answer | null): string {
  if (answer === null) return 'dropped';
  return answer.word === 'failed' ? classOf(answer.error) : answer.word;
}
