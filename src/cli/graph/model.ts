import { parseWorkflow } from '../../core/definition.ts';
import type { JsonObject } from '../../core/json.ts';
import { showCall } from '../../core/task-call.ts';

/** A task as a graph shows it. */
export type GraphNode = {
  readonly id: string;
  /** What it calls: `web-search/v1 search`, or `agent Translator`. */
  readonly call: string;
  /** Null where nothing has run. */
  readonly status: string | null;
  /** Ids of the tasks it waits for. */
  readonly needs: readonly string[];
};

export type Graph = { readonly name: string; readonly nodes: readonly GraphNode[] };

/** The graph of a workflow that was read from a file. */
export function graphOf(workflow: JsonObject): Graph {
  const { name, tasks } = parseWorkflow(workflow);
  const nodes = tasks.map((task) => ({
    id: task.id,
    call: showCall(task),
    status: null,
    needs: task.dependencies,
  }));
  return { name, nodes };
}

/** As `-o json` prints it. */
export function graphData({ name, nodes }: Graph) {
  return {
    name,
    nodes: nodes.map(({ id, call, status }) => ({ id, call, status })),
    edges: nodes.flatMap(({ id, needs }) => needs.map((from) => ({ from, to: id }))),
  };
}
