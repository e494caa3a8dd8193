import type { Client } from '../../sdk/index.ts';
import type { Connected } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { badValue } from '../flags.ts';
import { exitOfStatus } from '../outcome.ts';
import { cleanText } from '../output/clean.ts';
import { answerCommand } from '../progress/ask.ts';
import { drawsTree, type ProgressKind, progressKinds, showerFor } from '../progress/choose.ts';
import { Progress } from '../progress/model.ts';
import type { Invocation } from '../spec.ts';
import { attend, type Ending } from './attend.ts';
import type { Following } from './connected.ts';
import { lastWord } from './last-word.ts';
import { reportOf, shownReport } from './report.ts';
import type { Subject } from './subject.ts';
import { shownTask } from './task-report.ts';
import { usualDuration } from './usual.ts';

const MOST_QUESTIONS = 5;

export type FollowedCommand = {
  readonly subject: Subject;
  readonly name: string | null;
  /** It was started just now. */
  readonly fresh?: boolean;
};

/** Shows how it goes on, prints what came of it, and says how the command ends. */
export async function followAndReport(
  call: Invocation,
  { connected, interrupts, patience, logTo }: Following,
  { subject, name, fresh }: FollowedCommand,
): Promise<ExitName | undefined> {
  const { io, flags, now } = call;
  const { client } = connected;
  const progress = new Progress();
  let usual_ms: number | null = null;
  const kind = kindOf(flags.text('progress') ?? 'auto');
  if (name !== null && drawsTree(kind, io.stderr)) {
    const known = (ms: number | null) => {
      usual_ms = ms;
    };
    // Nobody waits for a guess.
    usualDuration(client, name).then(known, () => {});
  }
  const shower = showerFor(progress, { kind, screen: io.stderr, now, usual_ms: () => usual_ms });
  logTo((line) => shower.say(line.trimEnd()));
  // Above the tree: whoever looks may want to ask about it elsewhere while it goes on.
  if (subject.kind === 'run' && drawsTree(kind, io.stderr)) io.say(`run ${subject.workflow_id}`);
  const timeout_ms = patience.left_ms();
  const ending = await attend({ client, subject, progress, shower, interrupts, timeout_ms, now, fresh });
  logTo((line) => io.stderr.write(line));
  if (ending === 'waiting') return leaveWaiting(call, subject, progress);
  if (ending !== 'settled') return leave(call, connected, subject, ending);
  const enough = new AbortController();
  const interrupted = interrupts.next(enough.signal).then(() => leaveEnded(call, subject));
  const reported = report(call, client, { subject, progress });
  return Promise.race([reported, interrupted]).finally(() => enough.abort());
}

async function report(
  call: Invocation,
  client: Client,
  { subject, progress }: { readonly subject: Subject; readonly progress: Progress },
): Promise<ExitName> {
  if (subject.kind === 'task') {
    const outcome = client.call('task.result', { task_id: subject.task_id });
    return shownTask(call, await lastWord(outcome, subject, progress));
  }
  const asking = reportOf(client, subject.workflow_id, progress);
  const told = await lastWord(asking, subject, progress);
  await call.io.emit(told, await shownReport(told, progress));
  return exitOfStatus(told.status);
}

/** For somebody who does not wait for what came of it. */
function leaveEnded({ io }: Invocation, subject: Subject): ExitName {
  const id = subject.kind === 'run' ? subject.workflow_id : subject.task_id;
  io.say(`The ${subject.kind} has ended.\n  gleitzeit result ${id}`);
  return 'interrupted';
}

function kindOf(named: string): ProgressKind {
  const known = progressKinds.find((kind) => kind === named);
  if (known === undefined) throw badValue('progress', named, `known: ${progressKinds.join(', ')}`);
  return known;
}

/** It needs somebody's answer: what is asked, and how it is answered. */
function leaveWaiting({ io }: Invocation, subject: Subject, { tasks }: Progress): ExitName {
  const asking = tasks.filter(({ status }) => status === 'input_required').slice(0, MOST_QUESTIONS);
  const questions = asking.map(({ id, task_id, waits }) =>
    cleanText(`  ${id}: ${waits ?? ''}\n    ${answerCommand(task_id)}\n`),
  );
  const id = subject.kind === 'run' ? subject.workflow_id : subject.task_id;
  io.say(`It waits for input.\n${questions.join('')}To follow it on: gleitzeit watch ${id}`);
  return 'run_waiting';
}

/** How a command ends that did not see the end. */
function leave(
  { io }: Invocation,
  { local }: Connected,
  subject: Subject,
  ending: Exclude<Ending, 'waiting'>,
): ExitName {
  const id = subject.kind === 'run' ? subject.workflow_id : subject.task_id;
  if (ending === 'cancelled') {
    io.say(`The ${subject.kind} ${id} was cancelled.`);
    return 'interrupted';
  }
  const goesOn =
    local?.where() === 'here'
      ? `The ${subject.kind} is kept in the store and goes on when something works on it: watch does, run --resume, serve.`
      : `The ${subject.kind} goes on.`;
  io.say(
    `${ending === 'timeout' ? 'Not done in the time it was given. ' : ''}${goesOn}\n  gleitzeit watch ${id}`,
  );
  return ending === 'timeout' ? 'timeout' : 'interrupted';
}
