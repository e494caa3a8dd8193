import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { CommitRequest } from '../core/ports/store.ts';
import { done } from './testing/provider.suite.ts';
import { echo, World } from './testing/world.suite.ts';

const many = (count: number) => Array.from({ length: count }, () => ({ task: echo }));
const away = () => new GleitzeitError('GLZ3001', 'the store is away');

describe('an engine whose commit got no answer', () => {
  it('gives back what it was claimed without its knowing, and runs it', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 2, commits_at_once: 1 } });
    let lost = 1;
    site.faults.afterCommit = (_request, { claimed }) => {
      if (claimed.length > 0 && lost-- > 0) throw away();
    };
    const told = site.engine.submitMany(many(4)).catch((thrown: unknown) => GleitzeitError.from(thrown).code);
    await world.time.settle();
    expect(await told).toBe('GLZ3001');
    expect(world.data.owned.size).toBe(4);
    expect(site.provider.calls).toHaveLength(0);
    site.provider.reply = () => done();
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(4);
    expect(world.data.results.size).toBe(4);
    expect(world.data.owned.size).toBe(0);
  });

  it('does not give back what it claims while more is written than fits into one commit', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 2 } });
    const gate = Promise.withResolvers<void>();
    site.faults.beforeCommit = () => gate.promise;
    site.engine.submit(echo).catch(() => {});
    await world.time.settle();
    site.faults.beforeCommit = () => {};
    const more = Array.from({ length: 30 }, () => site.engine.submitMany(many(100)));
    gate.reject(away());
    await world.time.until(Promise.all(more));
    await world.time.advance(1000);
    const held = [...world.data.owned];
    expect(held).toHaveLength(6);
    expect(held.every((task_id) => world.row(task_id).fence === 1)).toBe(true);
    for (const call of site.provider.calls) call.done();
    await world.time.settle();
    expect(world.data.results.size).toBe(2);
  });

  it('leaks nothing however often answers are lost', async () => {
    const world = new World();
    const site = await world.started({ options: { concurrency: 3 } });
    let count = 0;
    site.faults.afterCommit = () => {
      if (++count % 3 === 0) throw away();
    };
    site.faults.beforeCommit = () => {
      if (++count % 5 === 0) throw away();
    };
    site.provider.reply = () => done();
    for (let sent = 0; sent < 20; sent++) {
      site.engine.submit(echo).catch(() => {});
      await world.time.advance(7);
    }
    delete site.faults.afterCommit;
    delete site.faults.beforeCommit;
    await world.time.advance(10_000);
    expect(world.data.tasks.size).toBeGreaterThan(10);
    const statuses = new Set([...world.data.tasks.values()].map(({ status }) => status));
    expect([...statuses]).toEqual(['completed']);
    expect(world.data.owned.size).toBe(0);
  });

  it('gives back a task whose outcome the store refuses in every form, and runs it again', async () => {
    const world = new World();
    const site = await world.started();
    site.faults.refuses = (write) => write.kind === 'settle' && site.provider.calls.length < 2;
    site.provider.reply = () => done();
    await world.time.until(site.engine.submit(echo));
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(2);
    expect(world.data.results.size).toBe(1);
    expect(world.data.owned.size).toBe(0);
  });

  it('does not give back what a commit claims that is under way when the trouble is noticed', async () => {
    const world = new World();
    const site = await world.started({ options: { few_writes: 1 } });
    const { tasks } = await world.time.until(site.engine.submit(echo));
    const [first] = tasks.map(([, task_id]) => task_id);
    await world.time.settle();
    site.faults.refuses = (write) => write.kind === 'settle' && write.task_id === first;
    const gates: (() => void)[] = [];
    site.faults.beforeCommit = () => new Promise<void>((resolve) => gates.push(resolve));
    const open = async () => {
      for (const gate of gates.splice(0)) gate();
      await world.time.settle();
    };
    site.provider.last.done();
    await world.time.settle();
    await open();
    const second = site.engine.submit(echo);
    await world.time.settle();
    for (let turn = 0; turn < 10; turn++) await open();
    const [other] = (await second).tasks.map(([, task_id]) => task_id);
    expect(site.provider.calls.filter(({ task_id }) => task_id === other)).toHaveLength(1);
    expect(world.row(String(other)).fence).toBe(1);
  });
});

describe('a commit that takes effect after it was said to have failed', () => {
  /** An engine that was told so of the commit that would have claimed its task. */
  async function toldEarly() {
    const world = new World(false);
    const site = await world.started({ options: { lease_ttl_ms: 1000 } });
    let late: CommitRequest | null = null;
    site.faults.beforeCommit = (request) => {
      if (late !== null || !request.writes.some(({ kind }) => kind === 'submit')) return;
      late = request;
      throw away();
    };
    site.engine.submit(echo).catch(() => {});
    await world.time.advance(100);
    const arrives = async () => {
      if (late !== null) await world.time.until(site.store.commit(late));
    };
    return { world, site, arrives };
  }

  it.each([0, 5000, 20_000])('leaves no task behind that nobody knows of, %d ms later', async (ms) => {
    const { world, site, arrives } = await toldEarly();
    await world.time.advance(ms);
    await arrives();
    expect([site.provider.calls.length, world.data.owned.size]).toEqual([0, 1]);
    site.provider.reply = () => done();
    await world.time.advance(21_000);
    expect(site.provider.calls).toHaveLength(1);
    expect(world.data.results.size).toBe(1);
  });

  it('is looked for a few times, and no more', async () => {
    const { world, site } = await toldEarly();
    let reconciled = 0;
    site.faults.beforeCommit = ({ writes }) => {
      reconciled += writes.filter(({ kind }) => kind === 'reconcile').length;
    };
    await world.time.advance(1000);
    expect(reconciled).toBe(1);
    await world.time.advance(200_000);
    expect(reconciled).toBe(3);
  });

  it('is not looked for by an engine that has stopped', async () => {
    const { world, site } = await toldEarly();
    await world.time.until(site.engine.stop(0));
    await world.time.settle();
    expect(world.time.pending).toBe(0);
  });
});
