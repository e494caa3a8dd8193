import { describe, expect, it } from 'vitest';
import { errorRecord, GleitzeitError } from '../core/errors.ts';
import type { Routed, RouteRequest, Router } from '../core/ports/router.ts';
import { outside } from '../core/testing/builders.suite.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, World } from './testing/world.suite.ts';

/** A router that writes down what it is asked, and how many of the places that it gave are still taken. */
function openDoor(provider: TestProvider) {
  const asked: RouteRequest[] = [];
  const taken = new Set<object>();
  const elsewhere = { possible: false };
  const answer = (): Routed => {
    const others = () => elsewhere.possible;
    const passage = { provider, others, leave: () => void taken.delete(passage) };
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
  return { router, asked, taken, elsewhere };
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

  it('says with whom it was final, where it goes on elsewhere', async () => {
    const { world, provider, site, asked, elsewhere } = await setUp();
    elsewhere.possible = true;
    const error = errorRecord('GLZ2010', 'no', { fault: 'provider' });
    await world.submit(site);
    provider.last.answer({ word: 'failed', error });
    await world.time.settle();
    await world.time.advance(10);
    expect(asked.at(-1)).toMatchObject({ avoid: [provider.id], refused: [provider.id] });
  });

  it('may go back to one that asked to be left alone, once that is over', async () => {
    const { world, provider, site, asked, elsewhere } = await setUp();
    elsewhere.possible = true;
    const error = errorRecord('GLZ2004', 'slow down', { retry_after_ms: 600_000 });
    await world.submit(site);
    provider.last.answer({ word: 'failed', error });
    await world.time.settle();
    await world.time.advance(1000);
    expect(asked).toHaveLength(2);
    expect(asked.at(-1)).toMatchObject({ avoid: [provider.id] });
    expect(asked.at(-1)?.refused).toBeUndefined();
  });

  it('goes back to whoever answered without an error, such as one that asked somebody outside', async () => {
    const { world, provider, site, asked } = await setUp();
    const task_id = await world.submit(site);
    provider.last.answer(outside());
    await world.time.settle();
    await world.time.until(site.engine.responses.respond(task_id, { response: 1 }));
    await world.time.settle();
    expect(asked).toHaveLength(2);
    expect(asked.at(-1)?.avoid).toEqual([]);
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

describe('a task that nobody can take after all', () => {
  /** Its provider went between the claim and the call. */
  async function lost(stillServed: boolean) {
    const world = new World();
    const provider = new TestProvider();
    let protocols = [provider.protocol];
    const router: Router = {
      protocols: () => protocols,
      route: () => {
        if (!stillServed) protocols = [];
        throw new GleitzeitError('GLZ2007', 'nobody has it');
      },
    };
    const site = await world.started({ provider, parts: { router } });
    const task_id = await world.submit(site);
    await world.time.settle();
    return { world, row: world.row(task_id), provider };
  }

  it('is given back without a word where nobody serves its protocol here any more', async () => {
    const { row, provider } = await lost(false);
    expect(row).toMatchObject({ status: 'queued', owner: null, parked: null, attempt_count: 0 });
    expect(provider.calls).toEqual([]);
  });

  it('is left aside for others where it is only its method that nobody has', async () => {
    const { row } = await lost(true);
    expect(row).toMatchObject({ status: 'queued', owner: null, parked: 'provider echo' });
  });
});
