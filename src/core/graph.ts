type Node = { readonly id: string; readonly dependencies: readonly string[] };

const UNSEEN = 0;
const ON_PATH = 1;
const DONE = 2;

/**
 * Ids that depend on each other in a circle, the first one repeated at the end, or undefined. Dependencies on oneself
 * or on nobody known are not followed. Takes time linear in tasks and dependencies, and no stack: chains are long.
 */
export function findCycle(nodes: readonly Node[]): readonly string[] | undefined {
  const byId = new Map(nodes.map((node, i) => [node.id, i]));
  const state = new Uint8Array(nodes.length);
  for (const start of nodes.keys()) {
    const cycle = state[start] === UNSEEN ? cycleFrom(start, { nodes, byId, state }) : undefined;
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

type Search = {
  readonly nodes: readonly Node[];
  readonly byId: ReadonlyMap<string, number>;
  readonly state: Uint8Array;
};
type Visit = { readonly index: number; readonly node: Node; next: number };

function cycleFrom(start: number, search: Search): readonly string[] | undefined {
  const path: Visit[] = [];
  enter(start, path, search);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const dependency = top.node.dependencies[top.next++];
    if (dependency === undefined) {
      search.state[top.index] = DONE;
      path.pop();
      continue;
    }
    const index = dependency === top.node.id ? undefined : search.byId.get(dependency);
    if (index === undefined) continue;
    if (search.state[index] === ON_PATH) return circle(path, dependency);
    if (search.state[index] === UNSEEN) enter(index, path, search);
  }
  return undefined;
}

function enter(index: number, path: Visit[], { nodes, state }: Search): void {
  const node = nodes[index];
  if (node === undefined) return;
  state[index] = ON_PATH;
  path.push({ index, node, next: 0 });
}

function circle(path: readonly Visit[], closing: string): readonly string[] {
  const ids = path.map((visit) => visit.node.id);
  return [...ids.slice(ids.indexOf(closing)), closing];
}
