import fc from 'fast-check';
import { priorities } from '../../src/core/priority.ts';

/**
 * Operations name nothing but numbers: which task, run or lease is meant is picked from what is there when the
 * operation comes up, so that any part of a sequence is a sequence again and a failing one can be shrunk.
 */
export type TaskShape = {
  readonly after: readonly number[];
  readonly priority: (typeof priorities)[number];
  readonly lane: string;
  readonly continues: boolean;
  readonly total_timeout: number | null;
  readonly size: number;
  readonly traced: boolean;
};

export type Outcome =
  | { readonly word: 'done'; readonly size: number }
  | { readonly word: 'passing' | 'final' | 'slow_down' }
  | { readonly word: 'again'; readonly after_ms: number }
  | {
      readonly word: 'input' | 'notification';
      readonly after_ms: number | null;
      readonly late: 'fail' | 'resume';
    };

export type WriteShape =
  | { readonly write: 'submit_graph'; readonly tasks: readonly TaskShape[]; readonly key: number | null }
  | { readonly write: 'submit_lone'; readonly tasks: readonly TaskShape[]; readonly key: number | null }
  | { readonly write: 'submit_again'; readonly run: number; readonly other_body: boolean }
  | { readonly write: 'submit_taken_id'; readonly task: number }
  /** A run of the same tasks as one before, of which the first `reused` bring results along. */
  | { readonly write: 'submit_retry'; readonly run: number; readonly reused: number; readonly size: number }
  | { readonly write: 'start' | 'release'; readonly lease: number }
  | { readonly write: 'progress'; readonly lease: number; readonly size: number; readonly next: boolean }
  | { readonly write: 'keep'; readonly lease: number; readonly size: number }
  | {
      readonly write: 'respond';
      readonly task: number;
      readonly said: number;
      readonly attempt: number | null;
      readonly early: boolean;
    }
  | { readonly write: 'settle'; readonly lease: number; readonly outcome: Outcome; readonly started: boolean }
  | { readonly write: 'hand_over'; readonly lease: number; readonly bound_ms: number }
  /** Of the attempt after that of a claim, or of one further on. */
  | {
      readonly write: 'arrive';
      readonly lease: number;
      readonly outcome: Outcome;
      readonly further: number;
      readonly from: number;
    }
  | {
      readonly write: 'start_away' | 'progress_away' | 'keep_away';
      readonly lease: number;
      readonly further: number;
    }
  | { readonly write: 'cancel_task' | 'retry_task'; readonly task: number }
  | { readonly write: 'cancel_run' | 'pause_run' | 'resume_run'; readonly run: number }
  | { readonly write: 'wake_due' | 'rescue'; readonly limit: number }
  | { readonly write: 'join' | 'beat' | 'leave'; readonly owner: string }
  | { readonly write: 'reconcile'; readonly owner: string; readonly held: number }
  | { readonly write: 'prune'; readonly keep_ms: number }
  | {
      readonly write: 'put_document' | 'delete_document';
      readonly key: number;
      readonly expect: number | null;
    }
  | { readonly write: 'put_agent' | 'delete_agent'; readonly agent: number; readonly expect: number | null }
  | { readonly write: 'pause_queue' | 'resume_queue'; readonly lane: string | null }
  | { readonly write: 'announce' };

export type Claiming = {
  readonly limit: number;
  readonly lanes: readonly string[];
  readonly most?: ReadonlyMap<string, number>;
};

export type Operation =
  | {
      readonly do: 'commit';
      readonly by: string;
      readonly writes: readonly WriteShape[];
      readonly claim: Claiming | null;
      /** Whether the answer arrives: where it does not, nobody knows of what was claimed. */
      readonly heard: boolean;
    }
  /** A commit while the store has no room left. */
  | { readonly do: 'commit_when_full'; readonly by: string; readonly writes: readonly WriteShape[] }
  /** An engine that comes by, claims what it can and brings it to an end. */
  | { readonly do: 'work'; readonly by: string; readonly outcomes: readonly Outcome[] }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'reopen' | 'crash' }
  | { readonly do: 'read'; readonly what: number; readonly limit: number };

export const LANES = ['test', 'other'];
const LARGE = 300 * 1024;
const some = fc.nat(1000);
const owner = fc.constantFrom('e1', 'e2');
const size = fc.oneof({ weight: 30, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.constant(LARGE) });
const limit = fc.constantFrom(1, 2, 1000);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null, freq: 3 });
const key = fc.option(fc.nat(5), { nil: null, freq: 1 });

const taskShape: fc.Arbitrary<TaskShape> = fc.record({
  after: fc.array(fc.nat(10), { maxLength: 3 }),
  priority: fc.constantFrom(...priorities),
  lane: fc.constantFrom(...LANES),
  continues: fc.boolean(),
  total_timeout: fc.constantFrom(null, null, 2, 30),
  size,
  traced: fc.constantFrom(false, false, true),
});

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ word: fc.constant('done' as const), size }) },
  { weight: 3, arbitrary: fc.record({ word: fc.constantFrom('passing' as const, 'final', 'slow_down') }) },
  {
    weight: 1,
    arbitrary: fc.record({ word: fc.constant('again' as const), after_ms: fc.constantFrom(0, 90, 3000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      word: fc.constantFrom('input' as const, 'notification'),
      after_ms: fc.constantFrom(null, 90, 3000),
      late: fc.constantFrom('fail' as const, 'resume'),
    }),
  },
);

const further = fc.constantFrom(0, 0, 0, 1);
const kind = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names);
const weighted = (weight: number, arbitrary: fc.Arbitrary<WriteShape>) => ({ weight, arbitrary });

const writeShape: fc.Arbitrary<WriteShape> = fc.oneof(
  weighted(
    5,
    fc.record({
      write: kind('submit_graph'),
      tasks: fc.array(taskShape, { minLength: 1, maxLength: 7 }),
      key,
    }),
  ),
  weighted(
    3,
    fc.record({
      write: kind('submit_lone'),
      tasks: fc.array(taskShape, { minLength: 1, maxLength: 3 }),
      key,
    }),
  ),
  weighted(1, fc.record({ write: kind('submit_again'), run: some, other_body: fc.boolean() })),
  weighted(1, fc.record({ write: kind('submit_taken_id'), task: some })),
  weighted(2, fc.record({ write: kind('submit_retry'), run: some, reused: fc.nat(6), size })),
  weighted(5, fc.record({ write: kind('start'), lease: some })),
  weighted(
    4,
    fc.record({
      write: kind('progress'),
      lease: some,
      size: fc.nat(600),
      next: fc.constantFrom(true, true, false),
    }),
  ),
  weighted(2, fc.record({ write: kind('keep'), lease: some, size })),
  weighted(
    4,
    fc.record({
      write: kind('respond'),
      task: some,
      said: fc.nat(2),
      attempt: fc.constantFrom(null, null, 1, 2),
      early: fc.constantFrom(false, false, true),
    }),
  ),
  weighted(
    12,
    fc.record({
      write: kind('settle'),
      lease: some,
      outcome,
      started: fc.constantFrom(true, true, true, false),
    }),
  ),
  weighted(
    6,
    fc.record({ write: kind('hand_over'), lease: some, bound_ms: fc.constantFrom(0, 700, 20_000) }),
  ),
  weighted(5, fc.record({ write: kind('arrive'), lease: some, outcome, further, from: fc.nat(3) })),
  weighted(3, fc.record({ write: kind('start_away', 'progress_away', 'keep_away'), lease: some, further })),
  weighted(1, fc.record({ write: kind('release'), lease: some })),
  weighted(2, fc.record({ write: kind('cancel_task', 'retry_task'), task: some })),
  weighted(2, fc.record({ write: kind('cancel_run', 'pause_run', 'resume_run', 'resume_run'), run: some })),
  weighted(2, fc.record({ write: kind('wake_due', 'rescue'), limit })),
  weighted(2, fc.record({ write: kind('join', 'beat', 'join', 'leave'), owner })),
  weighted(1, fc.record({ write: kind('reconcile'), owner, held: fc.nat(3) })),
  weighted(1, fc.record({ write: kind('prune'), keep_ms: fc.constantFrom(0, 10_000, 100_000) })),
  weighted(
    1,
    fc.record({ write: kind('put_document', 'delete_document'), key: fc.nat(3), expect: maybe(fc.nat(3)) }),
  ),
  weighted(
    1,
    fc.record({ write: kind('put_agent', 'delete_agent'), agent: fc.nat(3), expect: maybe(fc.nat(3)) }),
  ),
  weighted(
    1,
    fc.record({ write: kind('pause_queue', 'resume_queue'), lane: fc.constantFrom(null, ...LANES) }),
  ),
  weighted(1, fc.record({ write: kind('announce') })),
);

const claiming: fc.Arbitrary<Claiming> = fc.record(
  {
    limit: fc.constantFrom(1, 2, 5, 50),
    lanes: fc.constantFrom(LANES, LANES, LANES.slice(0, 1), LANES.slice(1)),
    most: fc
      .array(fc.tuple(fc.constantFrom(...LANES), fc.nat(3)), { maxLength: 2 })
      .map((pairs) => new Map(pairs)),
  },
  { requiredKeys: ['limit', 'lanes'] },
);

const writes = fc.array(writeShape, { maxLength: 6 });

/** A record that the tables refuse splits its commit, and a part that needs no room may then be written. */
const storable = writes.map((list) => list.filter(({ write }) => write !== 'submit_taken_id'));

export const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    {
      weight: 16,
      arbitrary: fc.record({
        do: kind('commit'),
        by: owner,
        writes,
        claim: fc.option(claiming, { nil: null }),
        heard: fc.constantFrom(true, true, true, false),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: kind('commit_when_full'), by: owner, writes: storable }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: kind('advance'), ms: fc.constantFrom(1, 500, 1000, 5000, 60_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: kind('reopen', 'crash') }) },
    { weight: 2, arbitrary: fc.record({ do: kind('read'), what: some, limit: fc.constantFrom(1, 3, 100) }) },
  ),
  { minLength: 1, maxLength: 50, size: 'max' },
);
