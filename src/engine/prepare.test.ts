import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { MAX_PAYLOAD } from '../core/limits.ts';
import { echo, idIn, type Site, World } from './testing/world.suite.ts';

async function running(
  workflow: object,
  options: object = {},
): Promise<{ world: World; site: Site; ids: Ids }> {
  const world = new World();
  const site = await world.started();
  const { tasks } = await world.time.until(site.engine.submitWorkflow(workflow, options));
  await world.time.settle();
  return { world, site, ids: (id) => idIn(tasks, id) };
}

type Ids = (id: string) => string;

const pair = (params: object, extra: object = {}) => ({
  tasks: [
    { id: 'a', ...echo, ...extra },
    { id: 'b', ...echo, params },
  ],
});

/** Three results that are more together than a claim carries. */
const sides = ['a1', 'a2', 'a3'];
const big = { part: 'small', rest: 'x'.repeat(MAX_PAYLOAD - 100) };
const heavy = {
  tasks: [
    ...sides.map((id) => ({ id, ...echo })),
    {
      id: 'b',
      ...echo,
      params: { texts: sides.map((id) => `\${${id}.result.part}`), n: '${workflow.input.n}' },
    },
  ],
};

describe('params', () => {
  it('are filled from results, with their types, and from the input of the run', async () => {
    const workflow = pair({
      whole: '${a.result}',
      part: '${a.result.list[1]}',
      text: 'n=${a.result.n} of ${workflow.input.name}',
      input: '${workflow.input}',
      plain: 'x',
    });
    const { world, site } = await running(workflow, { input: { name: 'ada' } });
    site.provider.last.done({ n: 2, list: [1, { deep: true }] });
    await world.time.settle();
    expect(site.provider.last.params).toEqual({
      whole: { n: 2, list: [1, { deep: true }] },
      part: { deep: true },
      text: 'n=2 of ada',
      input: { name: 'ada' },
      plain: 'x',
    });
  });

  it('that were filled in are not read for references again', async () => {
    const { world, site } = await running(pair({ text: '${a.result}' }));
    site.provider.last.done('${a.result} and ${workflow.input.secret}');
    await world.time.settle();
    expect(site.provider.last.params).toEqual({ text: '${a.result} and ${workflow.input.secret}' });
  });

  it('that refer to what is not there fail the task with GLZ2006, without a call', async () => {
    const { world, site, ids } = await running(pair({ text: '${a.result.nothing.here}' }));
    site.provider.last.done({ something: 1 });
    expect(await world.outcome(site, ids('b'))).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ2006' } },
    });
    expect(site.provider.calls).toHaveLength(1);
    expect(world.row(ids('b'))).toMatchObject({ attempt_count: 0, attempts: [] });
    expect(world.data.owned.size).toBe(0);
  });

  it('that refer to a task which failed and may fail have no result there', async () => {
    const { world, site, ids } = await running(
      pair(
        { text: '${a.result ?? "nothing"}' },
        { on_failure: 'continue', retry_config: { max_attempts: 1 } },
      ),
    );
    site.provider.last.failed();
    await world.time.settle();
    expect(site.provider.last.params).toEqual({ text: 'nothing' });
    site.provider.last.done();
    expect(await world.outcome(site, ids('b'))).toMatchObject({ status: 'completed' });
  });

  it('are checked again once they are filled', async () => {
    const { world, site, ids } = await running(pair({ count: '${a.result}' }));
    site.provider.last.done('many');
    expect(await world.outcome(site, ids('b'))).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ1005', field: '/params/count' } },
    });
    expect(site.provider.calls).toHaveLength(1);
  });

  it('too large to come with the claim are read when the attempt starts', async () => {
    const { world, site, ids } = await running(heavy, { input: { n: 5 } });
    const reads: string[] = [];
    site.faults.beforeRead = (name) => void reads.push(name);
    for (const call of [...site.provider.calls]) call.done(big);
    await world.time.settle();
    expect(reads).toContain('payloads');
    expect(site.provider.last.params['n']).toBe(5);
    expect(site.provider.last.params['texts']).toEqual(['small', 'small', 'small']);
    site.provider.last.done();
    expect(await world.outcome(site, ids('b'))).toMatchObject({ status: 'completed' });
  });

  it('small enough come with the claim, and nothing is read', async () => {
    const { world, site } = await running(pair({ text: '${a.result}' }));
    const reads: string[] = [];
    site.faults.beforeRead = (name) => void reads.push(name);
    site.provider.last.done('small');
    await world.time.settle();
    expect(site.provider.last.params).toEqual({ text: 'small' });
    expect(reads).toEqual([]);
  });

  it('that cannot be read now are read later: the task is not failed for trouble with the store', async () => {
    const { world, site, ids } = await running(heavy, { input: { n: 5 } });
    let failures = 2;
    site.faults.beforeRead = (name) => {
      if (name === 'payloads' && failures-- > 0) throw new GleitzeitError('GLZ3001', 'the store is away');
    };
    for (const call of [...site.provider.calls]) call.done(big);
    await world.time.advance(2000);
    expect(site.provider.last.params['n']).toBe(5);
    expect(world.row(ids('b'))).toMatchObject({ attempt_count: 2, attempt_base: 2 });
    site.provider.last.done();
    expect(await world.outcome(site, ids('b'))).toMatchObject({ status: 'completed' });
  });
});
