import { beforeEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { ChangeHint, CommitRequest } from '../../core/ports/store.ts';
import { graph, LANE, lone } from '../suite/build.suite.ts';
import { verifyStore } from '../suite/verify.suite.ts';
import { SimulatedData } from './data.ts';
import { openSimulatedStore } from './store.ts';

const clock = () => 1000;
const full = new GleitzeitError('GLZ3003', 'no room left');
const submit = (...ids: string[]): CommitRequest => ({
  writes: [{ kind: 'submit', runs: ids.map((id) => lone(id)) }],
  claim: null,
});

let data: SimulatedData;
beforeEach(() => {
  data = new SimulatedData();
});

describe('faults of the simulated store', () => {
  it('before a commit leave nothing behind', async () => {
    const store = openSimulatedStore({
      data,
      clock,
      faults: {
        beforeCommit() {
          throw full;
        },
      },
    });
    await expect(store.commit(submit('t1'))).rejects.toBe(full);
    expect([data.tasks.size, data.events.cursor, data.journal.length]).toEqual([0, 0, 0]);
  });

  it('after a commit leave everything, and lose the answer', async () => {
    const lost = new GleitzeitError('GLZ3001', 'the connection broke');
    const faults = {
      afterCommit() {
        throw lost;
      },
    };
    const store = openSimulatedStore({ data, clock, faults });
    await expect(store.commit(submit('t1'))).rejects.toBe(lost);
    expect(await store.reads.task('t1')).not.toBe(null);
  });

  it('delay a commit, which then sees what came in between', async () => {
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const faults = {
      beforeCommit: ({ writes }: CommitRequest) => (writes.length === 0 ? waiting : undefined),
    };
    const store = openSimulatedStore({ data, clock, faults });
    await store.commit({ writes: [{ kind: 'join', owner: 'e1', ttl_ms: 1 }], claim: null });
    const claim = store.commit({ writes: [], claim: { owner: 'e1', limit: 1, lanes: [LANE] } });
    await store.commit(submit('t1'));
    go();
    expect((await claim).claimed.map(({ task }) => task.task_id)).toEqual(['t1']);
  });

  it('refuse a record alone', async () => {
    const faults = { refuses: (write: { kind: string }) => write.kind === 'announce' };
    const store = openSimulatedStore({ data, clock, faults });
    const happening = { event: 'provider:connected', data: { provider: 'p', protocol: 'p' } } as const;
    const { verdicts } = await store.commit({
      writes: [...submit('t1').writes, { kind: 'announce', happening }, ...submit('t2').writes],
      claim: null,
    });
    expect(verdicts.map(({ ok }) => ok)).toEqual([true, false, true]);
    await verifyStore(store);
  });

  it('disturb reads as well', async () => {
    const faults = {
      beforeRead(name: string) {
        if (name === 'stats') throw full;
      },
    };
    const store = openSimulatedStore({ data, clock, faults });
    await expect(store.reads.stats()).rejects.toBe(full);
    expect(await store.reads.cursor()).toBe(0);
  });
});

describe('a process that holds the simulated store', () => {
  it('takes with it, when it is killed, what was not durable, and answers nothing more', async () => {
    let answered = false;
    const store = openSimulatedStore({ data, clock });
    await store.commit(submit('t1'));
    void store.commit(submit('t2')).finally(() => {
      answered = true;
    });
    store.crash();
    const next = openSimulatedStore({ data, clock });
    await next.commit(submit('t3'));
    expect([...data.tasks.keys()]).toEqual(['t1', 't3']);
    expect(answered).toBe(false);
  });

  it('is alone, if it wants to be', async () => {
    const store = openSimulatedStore({ data, clock });
    expect(() => openSimulatedStore({ data, clock, exclusive: false })).toThrow(/held by another process/);
    await store.close();
    const shared = openSimulatedStore({ data, clock, exclusive: false });
    expect(() => openSimulatedStore({ data, clock })).toThrow(/held by another process/);
    await expect(store.commit(submit('t1'))).rejects.toMatchObject({ code: 'GLZ3001' });
    await shared.close();
  });

  it('hears of others when the simulation lets it', async () => {
    const calls: (() => void)[] = [];
    const heard: ChangeHint[] = [];
    const first = openSimulatedStore({ data, clock, exclusive: false, deliver: (call) => calls.push(call) });
    const second = openSimulatedStore({ data, clock, exclusive: false });
    first.onChange((hint) => heard.push(hint));
    await second.commit(submit('t1'));
    await second.commit({ writes: [{ kind: 'join', owner: 'e1', ttl_ms: 1 }], claim: null });
    await first.commit(submit('t2'));
    expect([calls.length, heard.length]).toEqual([1, 0]);
    calls[0]?.();
    expect(heard).toEqual([{ ready: true, settled: false, revoked: false, documents: false, agents: false }]);
  });
});

describe('the data of the simulated store', () => {
  it('cannot be changed from outside', async () => {
    const store = openSimulatedStore({ data, clock });
    const request = submit('t1');
    await store.commit(request);
    const stored = await store.reads.task('t1');
    expect(() => Object.assign(stored?.task ?? {}, { status: 'failed' })).toThrow(TypeError);
    expect(() => Object.assign(stored?.body.spec ?? {}, { name: 'x' })).toThrow(TypeError);
  });

  it('remembers every commit in order', async () => {
    const store = openSimulatedStore({ data, clock });
    await store.commit(submit('t1'));
    await store.commit({ writes: [{ kind: 'submit', runs: [graph('w1', { a: {} })] }], claim: null });
    expect(
      data.journal.map(({ at, changes }) => [at, changes.newTasks.map(({ row }) => row.task_id)]),
    ).toEqual([
      [1000, ['t1']],
      [1000, ['w1/a']],
    ]);
  });
});
