type Node = { readonly id: string; readonly dependencies: readonly string[] };

/** `next` is the dependency to look at next: none yet, some, or all of them. */
type Spot = { readonly node: Node; state: 'unseen' | 'on_path' | 'done'; next: number };

/**
 * Ids that depend on each other in a circle, the first one repeated at the end, or undefined. Dependencies on oneself
 * or on nobody known are not followed. Takes time linear in tasks and dependencies, and no stack: chains are long.
 */
export function findCycle(nodes: readonly Node[]): readonly string[] | undefined {
  const spots = new Map<string, Spot>();
  for (const node of nodes) spots.set(node.id, { node, state: 'unseen', next: 0 });
  for (const spot of spots.values()) {
    const cycle = spot.state === 'unseen' ? cycleFrom(spot, spots) : undefined;
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function cycleFrom(start: Spot, spots: ReadonlyMap<string, Spot>): readonly string[] | undefined {
  const path: Spot[] = [];
  enter(start, path);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const dependency = top.node.dependencies[top.next++];
    if (dependency === undefined) {
      top.state = 'done';
      path.pop();
      continue;
    }
    const spot = spots.get(dependency);
    if (spot === undefined || spot === top) continue;
    if (spot.state === 'on_path') return circle(path, dependency);
    if (spot.state === 'unseen') enter(spot, path);
  }
  return undefined;
}

function enter(spot: Spot, path: Spot[]): void {
  spot.state = 'on_path';
  path.push(spot);
}

function circle(path: readonly Spot[], closing: string): readonly string[] {
  const ids = path.map((spot) => spot.node.id);
  return [...ids.slice(ids.indexOf(closing)), closing];
}
