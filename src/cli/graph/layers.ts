type Node = { readonly id: string; readonly needs: readonly string[] };

/**
 * Tasks that could run at the same time, one layer after the other: each as early as what it waits for allows. In the
 * order of the workflow within a layer. Takes time linear in tasks and links, and no stack: chains are long.
 */
export function layersOf<Item extends Node>(nodes: readonly Item[]): readonly (readonly Item[])[] {
  const depth = depthsOf(nodes);
  const layers: Item[][] = [];
  for (const node of nodes) {
    const at = depth.get(node.id) ?? 0;
    const layer = layers[at] ?? [];
    layers[at] = layer;
    layer.push(node);
  }
  return layers;
}

function depthsOf(nodes: readonly Node[]): ReadonlyMap<string, number> {
  const known = new Set(nodes.map(({ id }) => id));
  const open = new Map(nodes.map(({ id, needs }) => [id, needs.filter((need) => known.has(need)).length]));
  const dependents = Map.groupBy(
    nodes.flatMap(({ id, needs }) => needs.map((need) => ({ id, need }))),
    ({ need }) => need,
  );
  const depth = new Map<string, number>();
  const ready = nodes.filter(({ id }) => open.get(id) === 0).map(({ id }) => id);
  for (const id of ready) depth.set(id, 0);
  // Grows while it is gone through.
  for (const next of ready) {
    const here = depth.get(next) ?? 0;
    for (const { id } of dependents.get(next) ?? []) {
      depth.set(id, Math.max(depth.get(id) ?? 0, here + 1));
      const left = (open.get(id) ?? 0) - 1;
      open.set(id, left);
      if (left === 0) ready.push(id);
    }
  }
  return depth;
}

/** The longest chain of tasks that wait for each other, first to last. */
export function longestChain(nodes: readonly Node[]): readonly string[] {
  const depth = depthsOf(nodes);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const deepest = [...depth.values()].reduce((most, one) => Math.max(most, one), -1);
  const chain: string[] = [];
  let last = nodes.find(({ id }) => depth.get(id) === deepest);
  while (last !== undefined) {
    chain.push(last.id);
    const above = (depth.get(last.id) ?? 0) - 1;
    const before: string | undefined = last.needs.find((need) => depth.get(need) === above);
    last = above < 0 || before === undefined ? undefined : byId.get(before);
  }
  return chain.reverse();
}
