import { type JsonObject, own } from '../../core/json.ts';
import { textIn } from '../../core/members.ts';

/** The extension of the newer era, and the experiment of 2025-11-25. */
const generations = ['extension', 'experiment'] as const;
export type Generation = (typeof generations)[number];

/** What a task of a server is found by again in another attempt. */
export type TaskHandle = {
  readonly taskId: string;
  readonly generation: Generation;
  /** The tool that was called, as the task names it. */
  readonly tool: string;
};

export function handleOf({ taskId, generation, tool }: TaskHandle): JsonObject {
  return { mcp_task: taskId, generation, tool };
}

/** Null for what is none of ours: the provider may have been another when it was kept. */
export function readHandle(kept: JsonObject): TaskHandle | null {
  const [taskId, tool] = [textIn(kept, 'mcp_task'), textIn(kept, 'tool')];
  const generation = generations.find((one) => one === own(kept, 'generation'));
  return taskId === null || tool === null || generation === undefined ? null : { taskId, tool, generation };
}
