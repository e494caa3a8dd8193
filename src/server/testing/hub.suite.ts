import { done, TestProvider } from '../../engine/testing/provider.suite.ts';
import { type Site, seededRandom, World } from '../../engine/testing/world.suite.ts';
import { defaultHubLimits, EventHub, type HubLimits } from '../events/hub.ts';
import { Subscriptions } from '../events/subscriptions.ts';

/** A hub over an engine in virtual time, whose tasks complete at once. */
export async function openHub(limits: Partial<HubLimits> = {}) {
  const world = new World();
  const provider = new TestProvider();
  provider.reply = () => done();
  const site = await world.started({ provider });
  let reads = 0;
  const hub = new EventHub({
    events: (query) => site.engine.events(query),
    reads: {
      cursor: () => site.store.reads.cursor(),
      events: (query) => {
        reads++;
        return site.store.reads.events(query);
      },
    },
    timers: world.time,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    limits: { ...defaultHubLimits, ...limits },
  });
  const subscriptions = new Subscriptions({
    hub,
    random: seededRandom(9),
    timers: world.time,
    most_per_connection: 3,
  });
  return { world, site, hub, subscriptions, readsMade: () => reads };
}

/** What the store has, which is what whoever follows must have heard. */
export function stored(world: World, task_id?: string) {
  const filter = task_id === undefined ? {} : { task_id };
  return world.data.events.page({ after: 0, limit: 1_000_000, ...filter }).events.map(({ cursor }) => cursor);
}

export async function runTasks(world: World, site: Site, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push(await world.submit(site));
  for (const id of ids) await world.outcome(site, id);
  await world.time.settle();
  return ids;
}
