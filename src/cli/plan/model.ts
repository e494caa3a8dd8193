import { agentProviderId } from '../../core/agent.ts';
import { parseWorkflow, type TaskDefinition } from '../../core/definition.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { followPath } from '../../core/reference-path.ts';
import { readTemplate, showReference } from '../../core/reference-source.ts';
import { layersOf, longestChain } from '../graph/layers.ts';

/** What would run, and what it would need. */
export type Plan = {
  readonly name: string;
  readonly version: string | null;
  readonly tasks: readonly PlannedTask[];
  /** Ids of tasks that could run at the same time, one layer after the other. */
  readonly layers: readonly (readonly string[])[];
  /** How many tasks wait for each other at most, and which these are. */
  readonly depth: number;
  readonly longest_chain: readonly string[];
  /** The most tasks that could run at once. */
  readonly width: number;
  readonly unresolved: readonly Unresolved[];
};

export type PlannedTask = {
  readonly id: string;
  readonly protocol: string;
  readonly method: string;
  /** The one agent it is for, or null. */
  readonly agent: string | null;
  /** From 1. */
  readonly layer: number;
  readonly waits_for: readonly string[];
  readonly priority: string;
  /** Ids of those who could take it; null where that is not known. */
  readonly providers: readonly string[] | null;
};

/** A reference that has nothing to lead to yet. */
export type Unresolved = {
  readonly task: string;
  readonly reference: string;
  readonly reason: 'no input' | 'not in the input';
};

export type PlanParts = {
  /** Undefined where none was given. */
  readonly input: Json | undefined;
  readonly providersOf: (protocol: string) => readonly string[] | null;
};

export function planOf(workflow: JsonObject, { input, providersOf }: PlanParts): Plan {
  const { name, version, tasks } = parseWorkflow(workflow);
  const nodes = tasks.map((task) => ({ id: task.id, needs: task.dependencies, task }));
  const layers = layersOf(nodes);
  const chain = longestChain(nodes);
  return {
    name,
    version,
    tasks: layers.flatMap((layer, index) => layer.map(({ task }) => planned(task, index + 1, providersOf))),
    layers: layers.map((layer) => layer.map(({ id }) => id)),
    depth: chain.length,
    longest_chain: chain,
    width: layers.reduce((most, { length }) => Math.max(most, length), 0),
    unresolved: tasks.flatMap((task) => unresolvedIn(task, input)),
  };
}

function planned(task: TaskDefinition, layer: number, providersOf: PlanParts['providersOf']): PlannedTask {
  const { id, protocol, method, agent = null, dependencies, priority } = task;
  const all = providersOf(protocol);
  const providers = agent === null ? all : (all?.filter((one) => one === agentProviderId(agent)) ?? null);
  return { id, protocol, method, agent, layer, waits_for: dependencies, priority, providers };
}

/** What reads the input of the run and has no default, each once. */
function unresolvedIn(
  { id, params, uses_input }: TaskDefinition,
  input: Json | undefined,
): readonly Unresolved[] {
  if (!uses_input) return [];
  const found = new Map<string, Unresolved>();
  for (const text of textsIn(params)) {
    for (const part of readTemplate(text, '')) {
      const last = typeof part === 'string' ? undefined : part.at(-1);
      if (last?.kind !== 'read' || last.source.kind !== 'input') continue;
      if (input !== undefined && followPath(input, last.path).value !== undefined) continue;
      const reference = showReference(last.source, last.path);
      const reason = input === undefined ? 'no input' : 'not in the input';
      found.set(reference, { task: id, reference, reason });
    }
  }
  return [...found.values()];
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return value.includes('${') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsIn(item));
  return isObject(value) ? Object.values(value).flatMap((item) => textsIn(item)) : [];
}
