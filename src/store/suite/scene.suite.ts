import { afterEach, beforeEach, expect } from 'vitest';
import type { Answer } from '../../core/answer.ts';
import type { ErrorRecord } from '../../core/errors.ts';
import type { ClaimedTask, ClaimRequest, CommitAnswer, Store } from '../../core/ports/store.ts';
import type { TaskRow } from '../../core/records.ts';
import type { AnswerTo, NewRun, Verdict, Write, WriteKind, WriteOf } from '../../core/writes.ts';
import { LANE } from './build.suite.ts';
import type { OpenStore, StoreHarness } from './harness.suite.ts';
import { verifyStore } from './verify.suite.ts';

/** One test's store, with the few steps that most tests are made of. */
export class Scene {
  store: Store;
  readonly open: OpenStore;
  /** Something was pruned, so the log may have gaps. */
  pruned = false;

  constructor(open: OpenStore) {
    this.open = open;
    this.store = open.store;
  }

  commit(writes: readonly Write[], claim: ClaimRequest | null = null): Promise<CommitAnswer> {
    this.pruned ||= writes.some(({ kind }) => kind === 'prune');
    return this.store.commit({ writes, claim });
  }

  /** One write that must be accepted. */
  async write<K extends WriteKind>(write: WriteOf<K> & Write): Promise<AnswerTo<K>> {
    const { verdicts } = await this.commit([write]);
    return accepted<K>(verdicts[0]);
  }

  /** One write that must be refused. */
  async refused(write: Write): Promise<ErrorRecord> {
    const { verdicts } = await this.commit([write]);
    return refusal(verdicts[0]);
  }

  submit(...runs: readonly NewRun[]): Promise<AnswerTo<'submit'>> {
    return this.write<'submit'>({ kind: 'submit', runs });
  }

  async join(...owners: readonly string[]): Promise<void> {
    for (const owner of owners) await this.write<'join'>({ kind: 'join', owner, ttl_ms: 30_000 });
  }

  async claim(
    owner: string,
    limit = 100,
    lanes: readonly string[] = [LANE],
  ): Promise<readonly ClaimedTask[]> {
    const answer = await this.commit([], { owner, limit, lanes });
    expect(answer.lease_lost).toBe(false);
    return answer.claimed;
  }

  /** Claims one task, which must be there. */
  async claimOne(owner: string, lanes: readonly string[] = [LANE]): Promise<TaskRow> {
    return the((await this.claim(owner, 1, lanes))[0]).task;
  }

  settle(task: TaskRow, answer: Answer): Promise<AnswerTo<'settle'>> {
    return this.write<'settle'>(settling(task, answer));
  }

  /** Claims and settles until nothing is left to claim; answers the short ids in the order they ran. */
  async drain(owner: string, answerTo: (task: TaskRow) => Answer = () => done()): Promise<string[]> {
    const ran: string[] = [];
    let writes: Write[] = [];
    for (;;) {
      const { claimed, verdicts } = await this.commit(writes, { owner, limit: 500, lanes: [LANE] });
      for (const verdict of verdicts) expect(accepted<'settle'>(verdict).recorded).toBe(true);
      if (claimed.length === 0) return ran;
      ran.push(...claimed.map(({ task }) => task.id));
      writes = claimed.map(({ task }) => settling(task, answerTo(task)));
    }
  }

  async task(task_id: string): Promise<TaskRow> {
    return the(await this.store.reads.task(task_id)).task;
  }

  async status(task_id: string): Promise<string> {
    return (await this.task(task_id)).status;
  }

  async run(workflow_id: string) {
    return the(await this.store.reads.run(workflow_id)).run;
  }

  async reopen(): Promise<void> {
    this.store = await this.open.reopen();
  }
}

/** An outcome by the holder of a claim, together with the start it may still have to report. */
export function settling(task: TaskRow, answer: Answer, owner = task.owner ?? 'nobody'): WriteOf<'settle'> {
  const start = { attempt: task.attempt_count + 1, provider: 'p1', ago_ms: 0 };
  return { kind: 'settle', task_id: task.task_id, owner, fence: task.fence, start, answer, chance: 0 };
}

export function starting(task: TaskRow, provider: string | null = 'p1'): WriteOf<'start'> {
  const start = { attempt: task.attempt_count + 1, provider, ago_ms: 0 };
  return { kind: 'start', task_id: task.task_id, owner: task.owner ?? 'nobody', fence: task.fence, start };
}

export function done(result = '"ok"'): Answer {
  return { word: 'done', result };
}

export function failed(error: ErrorRecord): Answer {
  return { word: 'failed', error };
}

export function accepted<K extends WriteKind>(verdict: Verdict | undefined): AnswerTo<K> {
  expect(verdict).toMatchObject({ ok: true });
  if (!verdict?.ok) throw new Error('the write was refused');
  return verdict.answer as AnswerTo<K>;
}

export function refusal(verdict: Verdict | undefined): ErrorRecord {
  expect(verdict).toMatchObject({ ok: false });
  if (verdict === undefined || verdict.ok) throw new Error('the write was not refused');
  return verdict.error;
}

/** What must be there. */
export function the<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('it is not there');
  return value;
}

/** Opens a store for each test of a group and looks it over when the test is through. */
export function scenes(harness: StoreHarness): () => Scene {
  let scene: Scene | undefined;
  beforeEach(async () => {
    scene = new Scene(await harness.open());
  });
  afterEach(async () => {
    const ended = the(scene);
    scene = undefined;
    try {
      await verifyStore(ended.store, ended);
    } finally {
      await ended.open.close();
    }
  });
  return () => the(scene);
}
