import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { freshDatabase } from '../../test/services/postgres.ts';
import type { Gleitzeit } from '../embedded/gleitzeit.ts';
import { createGleitzeit } from './embedded.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-pools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const open: Gleitzeit[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

const text = { name: 'text/v1', methods: { say: { params: { user: { type: 'string' } } } } } as const;
const local = { id: 'local', protocol: 'text/v1', methods: { say: () => null } } as const;
const task = { protocol: 'text/v1', method: 'say', params: {} } as const;
const logger = { debug() {}, info() {}, warn() {}, error() {} };

let stores = 0;
async function start(options: object, path = join(folder, `${++stores}.db`)): Promise<Gleitzeit> {
  const given = {
    store: { type: 'sqlite', path },
    protocols: [text],
    providers: [local],
    logger,
    ...options,
  };
  const gleitzeit = await createGleitzeit(given as never);
  open.push(gleitzeit);
  return gleitzeit;
}

async function run(gleitzeit: Gleitzeit, work: readonly object[]): Promise<readonly string[]> {
  const accepted = await gleitzeit.submitMany(work as never);
  const ended = accepted.map(({ task_id }) => gleitzeit.result(task_id, { wait: 20_000 }));
  return (await Promise.all(ended)).map(({ status }) => status);
}

/** Functions that hold their calls until so many are inside, and know how many ever were. */
function held() {
  let inside = 0;
  const seen = { most: 0, users: new Map<string, number>() };
  const say = async ({ user = '' }: { readonly user?: string }) => {
    seen.most = Math.max(seen.most, ++inside);
    const own = (seen.users.get(user) ?? 0) + 1;
    seen.users.set(user, own);
    await new Promise(setImmediate);
    inside--;
    seen.users.set(user, own - 1);
    return own;
  };
  return { say, seen };
}

describe('the pools of a program', () => {
  it.each([
    [{ providers: [{ ...local, limits: { concurrency: 0 } }] }, 'providers[0].limits.concurrency'],
    [{ providers: [{ ...local, limits: { rate: 'quick' } }] }, 'providers[0].limits.rate'],
    [{ providers: [{ ...local, limits: { burst: 2 } }] }, 'providers[0].limits.burst'],
    [{ providers: [{ ...local, limits: { concurency: 2 } }] }, 'providers[0].limits.concurency'],
    [{ providers: [{ ...local, weight: 0 }] }, 'providers[0].weight'],
    [{ providers: [{ ...local, models: [() => 1] }] }, 'providers[0].models[0]'],
    [{ providers: [{ ...local, breaker: { cool_down: 'soon' } }] }, 'providers[0].breaker.cool_down'],
    [{ providers: [{ ...local, health: { path: '/health' } }] }, 'providers[0].health.path'],
    [{ providers: [{ ...local, cost: { per_call: 1 } }] }, 'providers[0].cost'],
    [{ protocols: [{ ...text, pool: { select: 'best' } }] }, 'protocols[0].pool.select'],
    [{ protocols: [{ ...text, pool: { select: 'sticky' } }] }, 'protocols[0].pool.select'],
    [{ protocols: [{ ...text, limits: { per_key: { key: 'user' } } }] }, 'protocols[0].limits.per_key.key'],
  ])('are refused with the name of the option: %j', async (options, field) => {
    const path = join(folder, 'refused', 'store.db');
    await expect(start(options, path)).rejects.toMatchObject({ code: 'GLZ1012', details: { field } });
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it('hold back calls of a provider, of a protocol and of a key', async () => {
    const work = Array.from({ length: 40 }, (_, at) => ({ ...task, params: { user: `u${at % 4}` } }));
    const done = work.map(() => 'completed');
    const provider = held();
    const limited = { ...local, methods: { say: provider.say }, limits: { concurrency: 3 } };
    expect(await run(await start({ providers: [limited] }), work)).toEqual(done);
    expect(provider.seen.most).toBe(3);
    const ofAll = held();
    const free = { ...local, methods: { say: ofAll.say } };
    const limits = { concurrency: 5, per_key: { key: 'params.user', concurrency: 1 } };
    const gleitzeit = await start({ protocols: [{ ...text, limits }], providers: [free] });
    expect(await run(gleitzeit, work)).toEqual(done);
    expect(ofAll.seen.most).toBeLessThanOrEqual(4);
  });

  it('try a task that failed with another provider, which is the first to be asked where its tier is lower', async () => {
    const calls: string[] = [];
    const bad = () => {
      calls.push('bad');
      throw new Error('not today');
    };
    const good = () => void calls.push('good');
    const gleitzeit = await start({
      providers: [
        { ...local, id: 'good', methods: { say: good }, tier: 1 },
        { ...local, id: 'bad', methods: { say: bad } },
      ],
    });
    const retry_config = { initial_delay: 0.001 };
    expect(await run(gleitzeit, [{ ...task, retry_config }])).toEqual(['completed']);
    expect(calls).toEqual(['bad', 'good']);
  });

  it('leave a provider in peace that fails, and say so', async () => {
    const bad = () => {
      throw new Error('not today');
    };
    const breaker = { failures: 1, cool_down: '1h' };
    const gleitzeit = await start({ providers: [{ ...local, methods: { say: bad }, breaker }] });
    const once = { retry_config: { max_attempts: 1 } };
    expect(await run(gleitzeit, [{ ...task, ...once }])).toEqual(['failed']);
    expect(await gleitzeit.providerStatus('local')).toMatchObject({
      breakers: [{ method: 'say', state: 'open' }],
    });
    await gleitzeit.resumeProvider('local');
    expect(await run(gleitzeit, [{ ...task, ...once }])).toEqual(['failed']);
  });

  it('give a provider as many calls as come where no number is given', async () => {
    const providers = [
      { ...local, limits: { rate: '1000/s', burst: 9 } },
      { ...local, id: 'other', weight: 2 },
    ];
    const gleitzeit = await start({ providers });
    expect(await gleitzeit.providerStatus('local')).toMatchObject({ concurrency: null, rate: { burst: 9 } });
    expect(await gleitzeit.providerStatus('other')).toMatchObject({
      concurrency: null,
      rate: null,
      weight: 2,
    });
  });

  it('are there with their defaults where no more is said than that', async () => {
    const gleitzeit = await start({ protocols: [{ ...text, pool: {} }] });
    expect(await gleitzeit.providerStatus('local')).toMatchObject({ state: 'connected', weight: 1 });
  });

  it('drain a provider until it is resumed, over restarts', async () => {
    const path = join(folder, 'drained.db');
    const options = { providers: [{ ...local, limits: { concurrency: 2 } }] };
    const first = await start(options, path);
    await first.drainProvider('local');
    const [{ task_id } = { task_id: '' }] = await first.submitMany([task]);
    await expect.poll(async () => (await first.task(task_id)).waiting_for?.kind).toBe('drained');
    open.splice(0);
    await first.stop();
    const second = await start(options, path);
    expect((await second.providerStatus('local')).state).toBe('drained');
    await second.resumeProvider('local');
    expect(await second.result(task_id, { wait: 10_000 })).toMatchObject({ status: 'completed' });
  });

  it('hold back calls for all programs on a store together', async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    const { say, seen } = held();
    const limited = { ...local, methods: { say }, limits: { concurrency: 3 } };
    const options = { store: { type: 'postgres', url: database.url }, providers: [limited] };
    const both = [await start(options), await start(options)];
    const work = Array.from({ length: 60 }, () => task);
    const ended = await Promise.all(both.map((one) => run(one, work)));
    expect(new Set(ended.flat())).toEqual(new Set(['completed']));
    expect(seen.most).toBeLessThanOrEqual(3);
    for (const one of open.splice(0)) await one.stop();
    await database.drop();
  });

  it('announce their providers, each once', async () => {
    const gleitzeit = await start({ providers: [{ ...local, weight: 2 }] });
    expect(await run(gleitzeit, [task])).toEqual(['completed']);
    const seen: string[] = [];
    for await (const { event } of gleitzeit.events({ cursor: 0 })) {
      seen.push(event);
      if (event === 'task:completed') break;
    }
    expect(seen.filter((event) => event === 'provider:connected')).toHaveLength(1);
  });

  it('are not there where nothing is said of them, and nobody can be drained', async () => {
    const plain = await start({});
    for (const asked of [plain.providerStatus('local'), plain.drainProvider('local')])
      await expect(asked).rejects.toMatchObject({ code: 'GLZ1011' });
    const pooled = await start({ providers: [{ ...local, weight: 2 }] });
    await expect(pooled.resumeProvider('lokal')).rejects.toMatchObject({
      code: 'GLZ1010',
      details: { hint: expect.stringContaining('local') },
    });
    await expect(pooled.providerStatus('')).rejects.toMatchObject({ code: 'GLZ1012' });
    open.splice(open.indexOf(pooled), 1);
    await pooled.stop();
    await expect(pooled.providerStatus('local')).rejects.toMatchObject({ code: 'GLZ9002' });
  });
});
