import { type TaskState, type TaskStatus, taskStates } from './model.ts';

/** A task in one of these never changes again. `unknown` is among them: there is nothing to wait for that we would recognise. */
const settled: readonly TaskState[] = ['completed', 'canceled', 'failed', 'rejected', 'unknown'];

export function isSettled(state: TaskState): boolean {
  return settled.includes(state);
}

/** Someone outside has to do something before the agent goes on. */
export function asksFor(state: TaskState): 'input' | 'auth' | null {
  if (state === 'input-required') return 'input';
  return state === 'auth-required' ? 'auth' : null;
}

/** `TASK_STATE_INPUT_REQUIRED`, `input-required`, `input_required` and `cancelled` are all heard in the wild. */
export function stateOf(said: string): TaskState {
  const word = said
    .toLowerCase()
    .replace(/^task_state_/, '')
    .replaceAll('_', '-');
  if (word === 'cancelled') return 'canceled';
  return taskStates.find((state) => state === word) ?? 'unknown';
}

/** What a state is called to people, in whichever version it was said. A word that nobody knows stays as it is. */
export function stateWord({ state, said }: Pick<TaskStatus, 'state' | 'said'>): string {
  const nothing = said === '' || said === upperState('unknown');
  return state !== 'unknown' || nothing ? state : said;
}

/** As version 1.0 spells it. */
export function upperState(state: TaskState): string {
  return `TASK_STATE_${state === 'unknown' ? 'UNSPECIFIED' : state.toUpperCase().replaceAll('-', '_')}`;
}
