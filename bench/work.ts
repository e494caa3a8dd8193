import { AgentClient } from './agent-client.ts';
import { handle, type Payload, type Result } from './payload.ts';

/** What a system's handler does. */
export interface Work {
  handle(task: Payload, previous?: readonly Result[]): Result | Promise<Result>;
  close(): Promise<void>;
}

/** A call to the agent where the workload has one, and the no-op otherwise. */
export function workAt({ agent }: { readonly agent?: string }): Work {
  if (agent === undefined) return { handle, close: async () => {} };
  const client = new AgentClient(agent);
  return { handle: (task, previous) => client.call(task, previous), close: () => client.close() };
}
