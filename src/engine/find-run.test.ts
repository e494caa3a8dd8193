import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { done } from './testing/provider.suite.ts';
import { step, World } from './testing/world.suite.ts';

const chain = {
  name: 'chain',
  version: '7',
  tasks: [step('a', { in: '${workflow.input.word}' }), step('b', { from: '${a.result}' })],
};
const input = { word: 'w', more: [1] };

/** An engine that answers and starts nothing, so that every run stays unfinished. */
async function resting() {
  const world = new World();
  const site = world.site();
  await world.time.until(site.engine.start({ works: false }));
  const submit = (workflow: object, given: object | null = input) =>
    world.time.until(site.engine.submitWorkflow(workflow, { input: given as never }));
  const find = (workflow: object, given: object | null = input) =>
    world.time.until(
      site.engine.findUnfinished(workflow, given as never).then(
        ({ workflow_id }) => workflow_id,
        (thrown: unknown) => GleitzeitError.from(thrown).code,
      ),
    );
  return { world, ...site, submit, find };
}

describe('findUnfinished', () => {
  it('finds the newest of several that are the same', async () => {
    const { submit, find } = await resting();
    await submit(chain);
    const second = await submit(chain);
    expect(await find(chain)).toBe(second.workflow_id);
  });

  it('finds it whatever the order of members, and answers with its tasks', async () => {
    const { world, engine, submit } = await resting();
    const run = await submit(chain);
    const turned = { tasks: chain.tasks, version: '7', name: 'chain' };
    const found = await world.time.until(engine.findUnfinished(turned, { more: [1], word: 'w' }));
    expect(found).toEqual({ ...run, created: false });
  });

  it.each([
    ['another name', { ...chain, name: 'other' }, input],
    ['another version', { ...chain, version: '8' }, input],
    ['another input', chain, { word: 'w', more: [2] }],
    ['no input', chain, null],
    ['a task more', { ...chain, tasks: [...chain.tasks, step('c')] }, input],
    ['other params', { ...chain, tasks: [chain.tasks[0], step('b', { from: '${a.result.x}' })] }, input],
    ['another order', { ...chain, tasks: chain.tasks.toReversed() }, input],
    ['another timeout', { ...chain, tasks: [chain.tasks[0], { ...chain.tasks[1], timeout: 7 }] }, input],
    [
      'other retries',
      { ...chain, tasks: [chain.tasks[0], { ...chain.tasks[1], retry_config: { max_attempts: 9 } }] },
      input,
    ],
    [
      'another priority',
      { ...chain, tasks: [chain.tasks[0], { ...chain.tasks[1], priority: 'high' }] },
      input,
    ],
    [
      'something else on failure',
      { ...chain, tasks: [{ ...chain.tasks[0], on_failure: 'continue' }, chain.tasks[1]] },
      input,
    ],
    [
      'a total timeout',
      { ...chain, tasks: [chain.tasks[0], { ...chain.tasks[1], total_timeout: 60 }] },
      input,
    ],
  ])('takes %s for something else', async (_, workflow, given) => {
    const { submit, find } = await resting();
    await submit(chain);
    expect(await find(workflow, given)).toBe('GLZ1010');
  });

  it('finds a paused run, and none that has ended', async () => {
    const { world, engine, submit, find } = await resting();
    const { workflow_id } = await submit(chain);
    await world.time.until(engine.pauseRun(workflow_id ?? ''));
    expect(await find(chain)).toBe(workflow_id);
    await world.time.until(engine.cancelRun(workflow_id ?? ''));
    expect(await find(chain)).toBe('GLZ1010');
  });

  it('recognises a secret, which looks different each time it is sealed', async () => {
    const { submit, find } = await resting();
    const secret = (token: string) => ({
      name: 's',
      tasks: [{ id: 'a', protocol: 'test/v1', method: 'login', params: { password: token } }],
    });
    const { workflow_id } = await submit(secret('swordfish'));
    expect(await find(secret('swordfish'))).toBe(workflow_id);
    expect(await find(secret('marlin'))).toBe('GLZ1010');
  });

  it('looks further than the first page', async () => {
    const { submit, find } = await resting();
    const first = await submit(chain);
    for (let i = 0; i < 120; i++) await submit(chain, { word: i });
    expect(await find(chain)).toBe(first.workflow_id);
  });
});

describe('an engine that does not work', () => {
  it('takes in and answers, and starts nothing; one that works takes it up', async () => {
    const { world, provider, engine, submit } = await resting();
    const { workflow_id } = await submit({ name: 'lone', tasks: [step('a')] });
    await world.time.advance(60_000);
    expect(provider.calls).toEqual([]);
    provider.reply = () => done({});
    expect(await world.time.until(engine.runResult(workflow_id ?? ''))).toMatchObject({ status: 'running' });
    await world.time.until(engine.start());
    const ended = await world.time.until(engine.runResult(workflow_id ?? '', 60_000));
    expect(ended).toMatchObject({ status: 'completed' });
  });

  it('knows what is paused, and leaves nothing of itself behind', async () => {
    const world = new World(false);
    const working = await world.started();
    await world.time.until(working.engine.pauseQueue('test/v1'));
    const { engine } = world.site();
    await world.time.until(engine.start({ works: false }));
    expect(engine.seen.paused.protocols).toEqual(['test/v1']);
    const before = world.data.engines.size;
    await world.time.until(engine.stop());
    expect(world.data.engines.size).toBe(before);
  });
});
