import fc from 'fast-check';
import type { Answer } from '../answer.ts';
import type { AttemptName } from '../attempt-name.ts';
import type { ErrorCode } from '../error-codes.ts';
import { lineName } from '../parked.ts';
import type { ProgressTold } from '../progress.ts';
import { defaultRetry } from '../retry.ts';
import type { NewRun, NewTask, Write } from '../writes.ts';
import { arrived, handedOver, startedAway } from './away.suite.ts';
import {
  done,
  failure,
  kept,
  leaseOf,
  lone,
  outside,
  reported,
  responded,
  settled,
  spec,
  started,
  workflow,
} from './builders.suite.ts';
import type { Memory } from './memory.suite.ts';

export type Step = {
  readonly act: keyof typeof acts;
  /** Chooses among whatever the act can be done to. */
  readonly pick: number;
  /** Committed together with the step after it. */
  readonly joined: boolean;
};

/** What can be done to a run, as a write made from what is seen now; null where there is nothing to do it to. */
const acts = {
  claim: (memory: Memory, pick: number) => {
    memory.claim(pick % 2 === 0 ? 'e0' : 'e1', 1 + (pick % 3));
    return null;
  },
  start: (memory: Memory, pick: number) =>
    held(memory, pick, (task) => started(task, pick % 5 === 0 ? null : 'p')),
  report: (memory: Memory, pick: number) =>
    held(memory, pick, (task) =>
      reported(task, tellings[pick % tellings.length] ?? {}, task.attempt_count + (pick % 2)),
    ),
  keep: (memory: Memory, pick: number) =>
    held(memory, pick, (task) => kept(task, `{"n":${pick}}`, task.attempt_count + (pick % 2))),
  ask: (memory: Memory, pick: number) =>
    held(memory, pick, (task) =>
      settled(
        task,
        outside({
          kind: kinds[pick % 3] ?? 'input',
          kept: pick,
          token: pick % 2 === 0 ? 'token' : null,
          after_ms: pick % 5 === 0 ? null : pick * 3.5,
          late: pick % 7 < 4 ? 'fail' : 'resume',
        }),
      ),
    ),
  respond: (memory: Memory, pick: number) =>
    anyTask(memory, pick, (task_id) =>
      responded(task_id, String(pick % 3), {
        attempt: pick % 4 === 0 ? 1 : null,
        token: [null, 'token', 'wrong'][pick % 3] ?? null,
        early: pick % 6 === 1,
      }),
    ),
  handOver: (memory: Memory, pick: number) =>
    held(memory, pick, (task) =>
      handedOver(task, { provider: pick % 9 === 0 ? null : `p${pick % 2}`, bound_ms: pick * 20 }),
    ),
  arrive: (memory: Memory, pick: number) =>
    someAttempt(memory, pick, (name) =>
      arrived(name, arrivals[pick % arrivals.length] ?? done, {
        provider: pick % 8 === 0 ? null : `p${pick % 3}`,
        ago_ms: pick * 3,
        chance: (pick % 10) / 10,
      }),
    ),
  startAway: (memory: Memory, pick: number) => someAttempt(memory, pick, (name) => startedAway(name, pick)),
  reportAway: (memory: Memory, pick: number) =>
    someAttempt(memory, pick, (name) => ({
      kind: 'progress_away',
      ...name,
      told: tellings[pick % tellings.length] ?? {},
    })),
  keepAway: (memory: Memory, pick: number) =>
    someAttempt(memory, pick, (name) => ({ kind: 'keep_away', ...name, kept: `{"n":${pick}}` })),
  complete: (memory: Memory, pick: number) => held(memory, pick, (task) => settled(task, done)),
  fail: (memory: Memory, pick: number) =>
    held(memory, pick, (task) =>
      settled(task, failure(codes[pick % codes.length]), { chance: (pick % 10) / 10 }),
    ),
  failEarly: (memory: Memory, pick: number) =>
    held(memory, pick, (task) => settled(task, failure('GLZ2006'), { start: null })),
  again: (memory: Memory, pick: number) =>
    held(memory, pick, (task) => settled(task, { word: 'again', after_ms: pick * 7.5, reason: 'busy' })),
  late: (memory: Memory, pick: number) =>
    held(memory, pick, (task) => settled({ ...task, fence: task.fence - 1 }, done)),
  release: (memory: Memory, pick: number) =>
    held(memory, pick, (task) => {
      const { owner, ...lease } = leaseOf(task);
      return { kind: 'release', owner, leases: [lease] };
    }),
  lineUp: (memory: Memory, pick: number) =>
    held(memory, pick, (task) => {
      const { owner, ...lease } = leaseOf(task);
      return { kind: 'release', owner, leases: [lease], line: lineOf(pick) };
    }),
  callLine: (_: Memory, pick: number) => ({
    kind: 'call_line',
    line: lineOf(pick),
    places: pick % 4,
    fair: pick % 3 === 0,
  }),
  callLines: (_: Memory, pick: number) => ({
    kind: 'call_lines',
    places: pick % 3,
    after: pick % 5 === 0 ? lineOf(pick) : null,
    limit: pick % 3,
  }),
  cancel: (memory: Memory, pick: number) =>
    anyTask(memory, pick, (task_id) => ({
      kind: 'cancel_task',
      task_id,
      reason: pick % 2 === 0 ? null : 'enough',
    })),
  reopen: (memory: Memory, pick: number) =>
    anyTask(memory, pick, (task_id) => ({ kind: 'retry_task', task_id })),
  pause: () => ({ kind: 'pause_run', workflow_id: 'w' }),
  resume: () => ({ kind: 'resume_run', workflow_id: 'w' }),
  cancelRun: () => ({ kind: 'cancel_run', workflow_id: 'w', reason: null }),
  wait: (memory: Memory, pick: number) => {
    memory.now += pick * 10;
    return { kind: 'wake_due', limit: 1 + (pick % 4) };
  },
  crash: (_: Memory, pick: number) => ({ kind: 'leave', owner: pick % 2 === 0 ? 'e0' : 'e1' }),
  rescue: (_: Memory, pick: number) => ({ kind: 'rescue', limit: 1 + (pick % 4) }),
  reconcile: (_: Memory, pick: number) => ({
    kind: 'reconcile',
    owner: pick % 2 === 0 ? 'e0' : 'e1',
    held: [],
  }),
  beat: (_: Memory, pick: number) => ({ kind: 'beat', owner: pick % 2 === 0 ? 'e0' : 'e1', ttl_ms: pick }),
  join: (_: Memory, pick: number) => ({ kind: 'join', owner: pick % 2 === 0 ? 'e0' : 'e1', ttl_ms: 10_000 }),
} as const satisfies Record<string, (memory: Memory, pick: number) => Write | null>;

const arrivals: readonly Answer[] = [
  done,
  done,
  failure('GLZ2001'),
  failure('GLZ2010'),
  { word: 'again', after_ms: 70, reason: 'busy' },
  { word: 'withdrawn' },
  outside({ after_ms: 300 }),
  outside({ kind: 'notification', late: 'resume', after_ms: 200 }),
];

const kinds = ['input', 'notification', 'auth'] as const;

const tellings: readonly ProgressTold[] = [
  { progress: 1, total: 3 },
  { message: 'half way' },
  { text: 'x'.repeat(700) },
  { progress: 2, message: '', text: '…' },
];

function lineOf(pick: number): string {
  return lineName({ kind: 'rate', key: String(pick % 2) });
}

const codes: readonly ErrorCode[] = ['GLZ2001', 'GLZ2002', 'GLZ2003', 'GLZ2004', 'GLZ2010', 'GLZ2005'];

type Found = Memory['tasks'] extends Map<string, infer Row> ? Row : never;

function held(memory: Memory, pick: number, write: (task: Found) => Write): Write | null {
  const rows = [...memory.tasks.values()].filter((row) => row.owner !== null);
  const row = rows[pick % Math.max(1, rows.length)];
  return row === undefined ? null : write(row);
}

function anyTask(memory: Memory, pick: number, write: (task_id: string) => Write): Write | null {
  const ids = [...memory.tasks.keys()];
  const id = ids[pick % Math.max(1, ids.length)];
  return id === undefined ? null : write(id);
}

/** Mostly the one that a task is at; sometimes the one before or after it, or that of an earlier life. */
function someAttempt(memory: Memory, pick: number, write: (name: AttemptName) => Write): Write | null {
  return anyTask(memory, pick, (task_id) => {
    const { generation = 0, attempt_count = 0, status } = memory.tasks.get(task_id) ?? {};
    const current = attempt_count + (status === 'executing' ? 0 : 1);
    const attempt = Math.max(1, current + (pick % 11 === 0 ? 1 : pick % 13 === 0 ? -1 : 0));
    return write({ task_id, generation: Math.max(0, generation - (pick % 17 === 0 ? 1 : 0)), attempt });
  });
}

export function writeOf(memory: Memory, step: Step): Write | null {
  return acts[step.act](memory, step.pick);
}

const often = [
  'claim',
  'claim',
  'claim',
  'complete',
  'fail',
  'fail',
  'start',
  'wait',
  'reopen',
  'reopen',
  'ask',
  'respond',
  'handOver',
  'handOver',
  'arrive',
  'startAway',
] as const;
const names = [...often, ...(Object.keys(acts) as (keyof typeof acts)[])];

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ act: fc.constantFrom(...names), pick: fc.nat(1000), joined: fc.boolean() }),
  { maxLength: 60 },
);

const taskFields: fc.Arbitrary<Partial<NewTask>> = fc.record({
  on_failure: fc.constantFrom('skip', 'continue'),
  priority: fc.constantFrom('urgent', 'normal', 'low'),
  total_timeout: fc.constantFrom(null, null, 5, 20.5),
});

/** A run of up to eight tasks in which each depends on some of those before it. */
export const randomRun: fc.Arbitrary<NewRun> = fc
  .array(fc.tuple(fc.nat(255), taskFields, fc.integer({ min: 1, max: 3 }), fc.constantFrom(null, 3)), {
    minLength: 1,
    maxLength: 8,
  })
  .map((tasks) => {
    const ids = tasks.map((_, index) => `t${index}`);
    const before = (index: number, mask: number) =>
      ids.slice(0, index).filter((_, bit) => (mask >> bit) % 2 === 1);
    const graph = Object.fromEntries(tasks.map(([mask], index) => [`t${index}`, before(index, mask)]));
    const fields = tasks.map(([, given, max_attempts, max_total], index) => {
      const retry_config = { ...defaultRetry, jitter: 0.5, max_attempts, max_total };
      return [
        `t${index}`,
        { ...given, spec: spec({ dependencies: graph[`t${index}`] ?? [], retry_config }) },
      ];
    });
    return workflow(graph, Object.fromEntries(fields));
  });

export const loneRun: NewRun = lone('alone', { total_timeout: 30 });
