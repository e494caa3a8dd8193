import type { Artifact, Message, Said, Task } from './model.ts';
import { isSettled } from './states.ts';

/**
 * A task as it is known after one more word about it. What comes in pieces is put together; a whole task is the truth
 * about what it tells, but does not take away what it leaves out, since agents answer with artifacts or history cut off.
 */
export function assembled(known: Task | null, said: Exclude<Said, { is: 'message' }>): Task {
  if (said.is === 'task') return known === null ? said.task : merged(known, said.task);
  const task = known ?? begun(said.task_id);
  const more = {
    ...(said.task_id === '' ? {} : { id: said.task_id }),
    ...(said.context_id === undefined ? {} : { context_id: said.context_id }),
  };
  if (said.is === 'artifact')
    return { ...task, ...more, artifacts: withArtifact(task.artifacts, said.artifact, said.append) };
  // The words of an earlier status would otherwise be lost with it.
  const earlier = task.status.message;
  const history = earlier === undefined ? task.history : withMessage(task.history, earlier);
  return { ...task, ...more, status: said.status, history };
}

function begun(id: string): Task {
  return { id, status: { state: 'working', said: 'working' }, artifacts: [], history: [] };
}

function hasEnded({ status: { state } }: Task): boolean {
  return state !== 'unknown' && isSettled(state);
}

function merged(known: Task, now: Task): Task {
  const told = new Set(now.artifacts.map(({ artifact_id }) => artifact_id));
  const artifacts = [
    ...known.artifacts.filter(({ artifact_id }) => !told.has(artifact_id)),
    ...now.artifacts.map((artifact) => known.artifacts.find((one) => saysTheSame(one, artifact)) ?? artifact),
  ];
  const history = now.history.length === 0 ? known.history : now.history;
  // Who has ended does not work again: it is shown as it was, by an agent that looks at an older copy.
  const older = hasEnded(known) && !hasEnded(now);
  return { ...known, ...now, ...(older ? { status: known.status } : {}), artifacts, history };
}

/** Agents tell an artifact that came in pieces as all of its pieces; put together it is what was meant. */
function saysTheSame(one: Artifact, other: Artifact): boolean {
  if (one.artifact_id !== other.artifact_id || one.parts.length === other.parts.length) return false;
  const [words, others] = [wordsOf(one), wordsOf(other)];
  return words !== null && words === others;
}

/** Null where there is more than text. */
function wordsOf({ parts }: Artifact): string | null {
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : null));
  return texts.includes(null) ? null : texts.join('');
}

function withArtifact(artifacts: readonly Artifact[], piece: Artifact, append: boolean): readonly Artifact[] {
  const at = artifacts.findIndex(({ artifact_id }) => artifact_id === piece.artifact_id);
  const before = artifacts[at];
  if (before === undefined) return [...artifacts, piece];
  const whole = append ? { ...before, ...piece, parts: joined(before, piece) } : piece;
  return artifacts.with(at, whole);
}

/** Text that comes in pieces is one text: the pieces may break in the middle of a word. */
function joined({ parts }: Artifact, piece: Artifact): Artifact['parts'] {
  const last = parts.at(-1);
  const [first, ...rest] = piece.parts;
  if (last?.kind !== 'text' || first?.kind !== 'text') return [...parts, ...piece.parts];
  return [...parts.slice(0, -1), { ...last, text: last.text + first.text }, ...rest];
}

function withMessage(history: readonly Message[], message: Message): readonly Message[] {
  const known = history.some(({ message_id }) => message_id !== '' && message_id === message.message_id);
  return known ? history : [...history, message];
}
