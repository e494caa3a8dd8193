import { GleitzeitError } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Message, Oddities, Task } from './model.ts';
import { messageOutput, resultParts, structured, taskOutput } from './output.ts';
import { textOf, writePart } from './parts.ts';
import { asksFor, isSettled, stateWord } from './states.ts';

/** What an agent's word means for the task that asked. */
export type Verdict =
  | { readonly is: 'success'; readonly output: Json }
  | { readonly is: 'error'; readonly error: GleitzeitError }
  /** Someone outside has to answer first; `ask` is what is shown to them. */
  | { readonly is: 'asks'; readonly kind: 'input' | 'auth'; readonly ask: JsonObject }
  /** It still works: to be followed up. */
  | { readonly is: 'open' };

export type Judged = {
  /** The result as it came, for agents whose answer has nothing in the places it should. */
  readonly raw: Json;
  /** Whether a protocol's method was called, whose result has a shape of its own. */
  readonly structured: boolean;
  readonly odd: Oddities;
};

export function judgeTask(task: Task, { raw, structured: shaped, odd }: Judged): Verdict {
  const { state } = task.status;
  const kind = asksFor(state);
  if (kind !== null && task.id === '') return { is: 'error', error: unanswerable(task) };
  if (kind !== null) return { is: 'asks', kind, ask: askOf(task) };
  if (!isSettled(state) && task.id !== '') return { is: 'open' };
  if (state !== 'completed') return { is: 'error', error: stateError(task, raw) };
  const output = taskOutput(task, raw, odd);
  return { is: 'success', output: shaped ? structured(resultParts(task), output) : output };
}

/** An agent that answers with a message alone has nothing more to say. */
export function judgeMessage(message: Message, { raw, structured: shaped, odd }: Judged): Verdict {
  const output = messageOutput(message, raw, odd);
  return { is: 'success', output: shaped ? structured(message.parts, output) : output };
}

/**
 * Final: the agent did its work and it came to this; the same message again would be recognised as a repeat. What it
 * brought until then is kept with the error.
 */
function stateError(task: Task, raw: Json): GleitzeitError {
  const { message } = task.status;
  const words = message === undefined ? undefined : textOf(message.parts);
  const brought = task.artifacts.length === 0 ? undefined : taskOutput(task, raw, []);
  return new GleitzeitError('GLZ2010', `Task state: ${stateWord(task.status)}`, {
    ...(words === undefined ? {} : { reason: words }),
    details: { state: task.status.state, ...(brought === undefined ? {} : { output: brought }) },
  });
}

/** Whoever answered could not say what: the agent would take it for a new task. */
function unanswerable(task: Task): GleitzeitError {
  return new GleitzeitError('GLZ2010', `Task state: ${stateWord(task.status)}`, {
    reason: 'the agent asks for something and does not name the task that it asks for',
    hint: 'the task in its answer needs an id, which the answer to its question is sent with',
    details: { state: task.status.state },
  });
}

/** The agent's question in words, and its parts where it asks with more than words. */
function askOf({ status }: Task): JsonObject {
  const parts = status.message?.parts ?? [];
  const text = textOf(parts);
  const others = parts.filter(({ kind }) => kind !== 'text');
  return {
    state: status.state,
    ...(text === undefined ? {} : { text }),
    ...(others.length === 0 ? {} : { parts: others.map((part) => writePart(part, '0.3')) }),
  };
}
