import { describe, expect, it } from 'vitest';
import type { Routed, RouteRequest, Router } from '../core/ports/router.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, World } from './testing/world.suite.ts';

/** A router that writes down what it is asked, and how many of the places that it gave are still taken. */
function openDoor(provider: TestProvider) {
  const asked: RouteRequest[] = [];
  const taken = new Set<object>();
  const answer = (): Routed => {
    const passage = { provider, leave: () => void taken.delete(passage) };
    taken.add(passage);
    return { word: 'go', passage };
  };
  const router: Router = {
    protocols: () => [provider.protocol],
    route: (request) => {
      asked.push(request);
      return answer();
    },
  };
  return { router, asked, taken };
}

async function setUp() {
  const world = new World();
  const provider = new TestProvider();
  const door = openDoor(provider);
  const site = await world.started({ provider, parts: { router: door.router } });
  return { world, provider, site, ...door };
}

describe('a call that is routed', () => {
  it('shows what it will send, and which providers failed it before', async () => {
    const { world, provider, site, asked } = await setUp();
    const retry_config = { initial_delay: 1, jitter: 0 };
    const task_id = await world.submit(site, { params: { user: 7 }, retry_config });
    provider.last.failed('GLZ2002');
    await world.time.advance(1000);
    const request = { protocol: 'test/v1', method: 'echo', params: { user: 7 }, task_id, workflow_id: null };
    expect(asked).toEqual([
      { ...request, avoid: [], called: false },
      { ...request, avoid: [provider.id], called: false },
    ]);
  });

  it('has its place until it ends, well or badly', async () => {
    const { world, provider, site, taken } = await setUp();
    const ids = [await world.submit(site, once), await world.submit(site, once)];
    expect(taken.size).toBe(2);
    provider.callOf(ids[0] ?? '').answer(done());
    await world.outcome(site, ids[0] ?? '');
    expect(taken.size).toBe(1);
    provider.callOf(ids[1] ?? '').reject(new Error('broke'));
    await world.outcome(site, ids[1] ?? '');
    expect(taken.size).toBe(0);
  });

  it('gives its place back when it is cancelled', async () => {
    const { world, site, taken } = await setUp();
    const task_id = await world.submit(site);
    await world.time.until(site.engine.cancelTask(task_id));
    await world.time.settle();
    expect(taken.size).toBe(0);
  });
});
