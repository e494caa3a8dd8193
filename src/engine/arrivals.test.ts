import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import { answerTo, Courier } from './testing/courier.suite.ts';
import { done, failed } from './testing/provider.suite.ts';
import { testSchemas } from './testing/schemas.suite.ts';
import { once, World } from './testing/world.suite.ts';

async function started(given: Parameters<World['started']>[0] = {}) {
  const world = new World(false);
  const courier = new Courier();
  const site = await world.started({ ...given, parts: { dispatch: courier, ...given.parts } });
  const submit = async (task: object = {}) => {
    const task_id = await world.submit(site, task);
    await world.time.settle();
    return task_id;
  };
  return { world, courier, site, submit };
}

/** The same, and another engine that knows nothing of what the first one handed over. */
async function withAnother(given: Parameters<World['started']>[0] = {}) {
  const first = await started(given);
  const other = new Courier();
  const elsewhere = await first.world.started({ ...given, parts: { dispatch: other, ...given.parts } });
  return { ...first, other, elsewhere };
}

const secret = { method: 'login', params: { password: 'hunter2' }, ...once };

describe('an answer that comes back', () => {
  it('is held against the schema of its method', async () => {
    const { world, courier, submit } = await started();
    const task_id = await submit({ method: 'strict', ...once });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done({ ok: false }))));
    expect(world.row(task_id)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ2005', provider: 'provider-1', attempt: 1 } },
    });
  });

  it('has its secrets sealed, and those of its call kept out of errors', async () => {
    const { world, courier, submit } = await started();
    const kept = await submit(secret);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done({ token: 'xyz-123' }))));
    expect(world.data.results.get(kept)?.result).toContain('$sealed');
    const refused = await submit(secret);
    const said = failed('GLZ2010', 'wrong password hunter2');
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, said)));
    expect(world.row(refused).error?.message).toBe('wrong password [secret]');
    expect(world.everything()).not.toContain('hunter2');
  });

  it('is as well guarded where another engine hears of it, whatever is told with it', async () => {
    const { world, courier, other, submit } = await withAnother();
    for (const called of [undefined, { protocol: 'test/v1', method: 'login', secrets: true }]) {
      const task_id = await submit(secret);
      const said = failed('GLZ2010', 'wrong password hunter2');
      await world.time.until(other.arrivals.ended(answerTo(courier.last, said, { called, provider: null })));
      expect(world.row(task_id)).toMatchObject({
        status: 'failed',
        error: { message: 'wrong password [secret]' },
        attempts: [{ provider: 'provider-1' }],
      });
    }
    expect(world.everything()).not.toContain('hunter2');
  });

  it('has what it repeats of its call masked where another engine hears of it, too', async () => {
    const { world, courier, other, submit } = await withAnother();
    for (const called of [undefined, { protocol: 'test/v1', method: 'login', secrets: true }]) {
      const task_id = await submit({ ...secret, params: { password: 'correct-horse' } });
      const said = done({ token: 'xyz-123', heard: 'correct-horse' });
      await world.time.until(other.arrivals.ended(answerTo(courier.last, said, { called, provider: null })));
      expect(world.data.results.get(task_id)?.result).toContain('"heard":"[secret]"');
    }
    expect(world.everything()).not.toContain('correct-horse');
  });

  it('is not shown at all where the secrets of its call cannot be opened', async () => {
    const world = new World(false);
    const courier = new Courier();
    const site = await world.started({ parts: { dispatch: courier } });
    const other = new Courier();
    const cipher = {
      seal: (text: string) => text,
      mark: (text: string) => text,
      isCurrent: () => true,
      open: (): never => {
        throw new GleitzeitError('GLZ3010', 'sealed with another key');
      },
    };
    await world.started({ parts: { dispatch: other, cipher } });
    const said = [
      failed('GLZ2010', 'wrong password hunter2'),
      { word: 'again', after_ms: 10, reason: 'not with hunter2' } as const,
      {
        word: 'outside',
        wait: { kind: 'input', ask: 'hunter2?', kept: 1, token: null, after_ms: null, late: 'fail' },
      } as const,
    ];
    for (const answer of said) {
      const task_id = await world.submit(site, secret);
      await world.time.settle();
      const parcel = courier.parcels.find((one) => one.task_id === task_id) ?? courier.last;
      await world.time.until(other.arrivals.ended(answerTo(parcel, answer)));
      expect(world.row(task_id).status).not.toBe('routed');
    }
    expect(world.everything()).not.toContain('hunter2');
    expect(world.everything()).toContain('what was said is not shown');
  });

  it('needs no look at the store where all is told with it', async () => {
    const { world, courier, other, elsewhere, submit } = await withAnother();
    const task_id = await submit();
    const reads: string[] = [];
    elsewhere.faults.beforeRead = async (name) => void reads.push(name);
    const called = { protocol: 'test/v1', method: 'echo', secrets: false };
    await world.time.until(other.arrivals.ended(answerTo(courier.last, done(), { called })));
    expect(world.row(task_id).status).toBe('completed');
    expect(reads).toEqual([]);
  });

  it('waits for a store that cannot be read, and is given back where the engine stops meanwhile', async () => {
    const { world, courier, other, elsewhere, submit } = await withAnother();
    const task_id = await submit();
    let broken = true;
    elsewhere.faults.beforeRead = async () => {
      if (broken) throw new GleitzeitError('GLZ3001', 'away');
    };
    const told = other.arrivals.ended(answerTo(courier.last));
    await world.time.advance(2000);
    expect(world.row(task_id).status).toBe('routed');
    broken = false;
    await world.time.until(told);
    expect(world.row(task_id).status).toBe('completed');
    const next = await submit();
    broken = true;
    const never = other.arrivals.ended(answerTo(courier.last));
    never.catch(() => {});
    await world.time.settle();
    await world.time.until(elsewhere.engine.stop(10));
    await expect(never).rejects.toThrow(/stopped/);
    expect(world.row(next).status).toBe('routed');
  });

  it('is left to others, or to later, where its method is not known here yet', async () => {
    const { world, courier, submit } = await started();
    const task_id = await submit(secret);
    const other = new Courier();
    let known = false;
    const schemas: Schemas = {
      ...testSchemas,
      secrets: (protocol, method) => {
        if (!known) throw new GleitzeitError('GLZ1003', `no protocol is called "${protocol}"`);
        return testSchemas.secrets(protocol, method);
      },
    };
    await world.started({ parts: { dispatch: other, schemas } });
    const answer = () =>
      world.time.until(other.arrivals.ended(answerTo(courier.last, done({ token: 'xyz' }))));
    await expect(answer()).rejects.toThrow(/no protocol/);
    expect(world.row(task_id).status).toBe('routed');
    known = true;
    await answer();
    expect(world.row(task_id).status).toBe('completed');
    expect(world.data.results.get(task_id)?.result).not.toContain('xyz');
  });

  it('of a task that is not there is refused for good', async () => {
    const { world, courier, other, submit } = await withAnother();
    await submit();
    const gone = { ...answerTo(courier.last), task_id: 'gone' };
    await world.time.until(other.arrivals.ended(gone));
    await world.time.until(courier.arrivals.ended({ ...gone, called: { ...echo, secrets: false } }));
  });

  it('that the store cannot hold fails its task', async () => {
    const { world, courier, site, submit } = await started();
    site.faults.refuses = (write) => write.kind === 'arrive' && write.answer.word === 'done';
    const task_id = await submit(once);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    expect(world.row(task_id)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ2005' } },
    });
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'failed' });
  });

  it('is told to whoever waits, without a look at the store', async () => {
    const { world, courier, site, submit } = await started();
    const task_id = await submit();
    const waiting = site.engine.result(task_id, 60_000);
    await world.time.settle();
    const reads: string[] = [];
    site.faults.beforeRead = async (name) => void reads.push(name);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done('now'))));
    expect(await world.time.until(waiting)).toMatchObject({ status: 'completed', result: '"now"' });
    expect(reads).toEqual([]);
  });

  it('that comes twice at once is recorded once, and both are done with', async () => {
    const { world, courier, submit } = await started();
    const task_id = await submit();
    const both = [done('one'), done('two')].map((answer) =>
      courier.arrivals.ended(answerTo(courier.last, answer)),
    );
    await world.time.until(Promise.all(both));
    expect(world.data.results.get(task_id)?.result).toBe('"one"');
  });
});

const echo = { protocol: 'test/v1', method: 'echo' };
