import type { Payload, Result } from './payload.ts';
import { RpcClient } from './rpc-client.ts';

export interface AgentParams extends Payload {
  readonly previous?: readonly Result[];
}

/** How many calls the agent is given at a time: in W10 that many tasks are in flight. */
export const IN_FLIGHT = 100;

/** Calls to the agent as every peer and the bare loop make them. */
export class AgentClient {
  readonly #client: RpcClient;

  constructor(url: string) {
    this.#client = new RpcClient(url, IN_FLIGHT);
  }

  call(task: Payload, previous?: readonly Result[]): Promise<Result> {
    const params: AgentParams = previous === undefined ? task : { ...task, previous };
    return this.#client.call('work', params);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
