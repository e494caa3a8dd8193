import type { OutsideWait } from '../answer.ts';
import type { TaskRow } from '../records.ts';
import type { NewRun, Write } from '../writes.ts';
import { lone, outside, settled, submitted, taskRow } from './builders.suite.ts';
import { Memory } from './memory.suite.ts';

/** A task that engine `e` has claimed. */
export function claimed(run: NewRun = lone('t')): { memory: Memory; task: TaskRow } {
  const memory = new Memory();
  memory.write({ kind: 'join', owner: 'e', ttl_ms: 1e9 });
  memory.write(submitted(run));
  return { memory, task: memory.claim('e')[0] ?? taskRow() };
}

/** The same, after its first attempt has asked something. */
export function asked(fields: Partial<OutsideWait> = {}, run?: NewRun): { memory: Memory; task: TaskRow } {
  const { memory, task } = claimed(run);
  memory.write(settled(task, outside(fields)));
  return { memory, task };
}

export function row(memory: Memory, task_id = 't'): TaskRow {
  return memory.tasks.get(task_id) ?? taskRow();
}

/** What the next attempt would get. */
export function left(memory: Memory, task_id = 't') {
  const { kept, response, early } = row(memory, task_id).attempts.at(-1)?.outside ?? {};
  return { kept: kept?.text, response: response?.text, early: early?.text };
}

/** Claims the task that is ready. */
export function next(memory: Memory): TaskRow {
  return memory.claim('e')[0] ?? taskRow({ task_id: 'none' });
}

/** The answer to a write, or why it was refused; the log must agree with what is stored. */
export function verdict(memory: Memory, write: Write) {
  const [found] = memory.commit(write).verdicts;
  const [wrong] = memory.disagreements();
  if (wrong !== undefined) throw new Error(wrong);
  return found?.ok ? found.answer : found?.error;
}
