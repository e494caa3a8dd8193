import { expect } from 'vitest';
import type { MethodName } from '../../api/methods.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { CallOptions, House, RpcAnswer } from './house.suite.ts';
import { misfit } from './judge.suite.ts';

/** A caller that holds every answer against the method table. */
export type Caller = {
  call(method: MethodName, params?: Json, options?: CallOptions): Promise<RpcAnswer>;
  /** The result, where there must be one. */
  ask(method: MethodName, params?: Json, options?: CallOptions): Promise<JsonObject>;
  /** The error, where there must be one. */
  refused(method: MethodName, params?: Json, options?: CallOptions): Promise<NonNullable<RpcAnswer['error']>>;
  submitted(task: JsonObject): Promise<string>;
  /** The id of a run that has ended. */
  ran(workflow: JsonObject): Promise<string>;
};

export function strictCaller(house: () => House): Caller {
  const caller: Caller = {
    call: async (method, params, options) => {
      const answer = await house().call(method, params, options);
      expect(misfit(method, answer), method).toBeUndefined();
      return answer;
    },
    ask: async (method, params, options) => {
      const { result, error } = await caller.call(method, params, options);
      expect(error).toBeUndefined();
      return result as JsonObject;
    },
    refused: async (method, params, options) => {
      const { error } = await caller.call(method, params, options);
      if (error === undefined) throw new Error(`${method} was not refused`);
      return error;
    },
    submitted: async (task) => String((await caller.ask('task.submit', task))['task_id']),
    ran: async (workflow) => {
      const { workflow_id } = await caller.ask('workflow.submit', { workflow });
      await caller.ask('workflow.results', { workflow_id: String(workflow_id), wait: 10_000 });
      return String(workflow_id);
    },
  };
  return caller;
}

export const echo = { protocol: 'test/v1', method: 'echo', params: { text: 'hi' } };

export const chain = {
  name: 'chain',
  tasks: [
    { id: 'first', protocol: 'test/v1', method: 'add', params: { a: 1 } },
    { id: 'second', protocol: 'test/v1', method: 'add', params: { a: '${first.result.sum}', b: 10 } },
  ],
};
