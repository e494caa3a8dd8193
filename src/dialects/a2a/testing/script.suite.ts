import type { Json, JsonObject } from '../../../core/json.ts';
import { artifact, type Says, scripted, status03 } from './agent.suite.ts';

export type Rpc = { readonly id: string; readonly method: string; readonly params: JsonObject };
export type Answers = (rpc: Rpc, says: Says) => unknown;

export function agentOf(card: JsonObject, answer: Answers) {
  return scripted(({ rpc }, says) => (rpc === null ? says.json(card) : answer(rpc, says)));
}

/** Answers each call of a method with the next of what is there for it; the last one for all that come after. */
export function inTurn(turns: Readonly<Record<string, readonly ((says: Says) => unknown)[]>>): Answers {
  const counts = new Map<string, number>();
  return ({ method }, says) => {
    const count = counts.get(method) ?? 0;
    counts.set(method, count + 1);
    const turn = turns[method]?.[count] ?? turns[method]?.at(-1);
    return turn === undefined ? says.error(-32601, 'Method not found') : turn(says);
  };
}

export const whole =
  (...results: Json[]) =>
  (says: Says) => {
    says.events(...results);
    says.end();
  };

export function chunk(text: string, more: JsonObject = {}): JsonObject {
  return { kind: 'artifact-update', taskId: 't1', contextId: 'c1', artifact: artifact(text), ...more };
}

export const ended = { ...status03('completed'), final: true };
export const gets = (task: JsonObject) => (says: Says) => says.result(task);
