import type { AcceptedRun } from '../../../src/core/writes.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Definition } from './planned.ts';

/** One body that a client wants run, and what became of it as far as the client knows. */
export type Submission = {
  readonly name: string;
  readonly key: string | null;
  readonly workflow: {
    readonly name: string;
    readonly tasks: readonly Definition[];
    readonly word: string;
  } | null;
  readonly tasks: readonly Definition[];
  /** Sent over the line at least once. */
  sent: boolean;
  /** Answered by an engine with "accepted". */
  accepted: readonly AcceptedRun[] | null;
  /** How many answers said that it was new. */
  created: number;
  /** Answered with an error that says it was not taken. */
  refused: boolean;
  /** The same key was accepted with another body before this was sent. */
  mustConflict: boolean;
};

/** What clients wrote down: what they sent, what was accepted, and under which ids. */
export class Submissions {
  readonly all: Submission[] = [];
  readonly byKey = new Map<string, Submission[]>();
  readonly taskIds: string[] = [];
  readonly runIds: string[] = [];

  add(submission: Submission): Submission {
    this.all.push(submission);
    if (submission.key === null) return submission;
    const same = this.byKey.get(submission.key);
    if (same === undefined) this.byKey.set(submission.key, [submission]);
    else same.push(submission);
    return submission;
  }

  accept(submission: Submission, runs: readonly AcceptedRun[]): void {
    if (submission.accepted !== null) return;
    submission.accepted = runs;
    for (const run of runs) {
      if (run.workflow_id !== null) this.runIds.push(run.workflow_id);
      this.taskIds.push(...run.tasks.map(([, task_id]) => task_id));
    }
  }
}

/** As a caller would hand it over. */
export function send(engine: Engine, submission: Submission): Promise<readonly AcceptedRun[]> {
  const { workflow, tasks, key } = submission;
  const options = key === null ? {} : { idempotency_key: key };
  if (workflow !== null) {
    const { name, tasks: members, word } = workflow;
    return engine
      .submitWorkflow({ name, tasks: members }, { ...options, input: { word } })
      .then((run) => [run]);
  }
  const [first] = tasks;
  if (tasks.length === 1) return engine.submit(first, options).then((run) => [run]);
  return engine.submitMany(tasks.map((task) => ({ task })));
}
