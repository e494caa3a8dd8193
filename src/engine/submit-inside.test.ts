import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { echo, World } from './testing/world.suite.ts';

function setUp() {
  const world = new World();
  const refusal = (promise: Promise<unknown>) =>
    world.time.until(
      promise.then(
        () => null,
        (thrown: unknown) => GleitzeitError.from(thrown),
      ),
    );
  return { world, refusal, engine: world.site().engine };
}

describe('a submission', () => {
  it('with what only this program may say of it is refused where options are given', async () => {
    const { world, engine, refusal } = setUp();
    const options = [{ id_prefix: 'zone.' }, { secret_params: ['/a'] }, { body_mark: 'm' }];
    for (const given of options as never[]) {
      const refused = { code: 'GLZ1012', details: { field: Object.keys(given)[0] } };
      expect(await refusal(engine.submit(echo, given))).toMatchObject(refused);
    }
    expect(world.data.tasks.size).toBe(0);
  });

  it('is the same as another where its mark is, and not by what it holds', async () => {
    const { world, engine, refusal } = setUp();
    const key = { idempotency_key: 'k' };
    const marked = (body_mark: string, params: object = {}) =>
      engine.submit({ ...echo, params }, key, { body_mark, id_prefix: 'mine.' });
    const first = await world.time.until(marked('one'));
    expect(first.tasks[0]?.[1]).toMatch(/^mine\./);
    expect(await world.time.until(marked('one', { other: 1 }))).toMatchObject({
      tasks: first.tasks,
      created: false,
    });
    expect((await refusal(marked('two')))?.code).toBe('GLZ1009');
    expect((await refusal(engine.submit(echo, key)))?.code).toBe('GLZ1009');
    const workflow = { workflow_id: 'w', tasks: [{ id: 'a', ...echo }] };
    const run = (input: number, body_mark: string) =>
      world.time.until(engine.submitWorkflow(workflow, { input }, { body_mark }));
    expect(await run(1, 'one')).toMatchObject({ created: true });
    expect(await run(2, 'one')).toMatchObject({ workflow_id: 'w', created: false });
    expect((await refusal(engine.submitWorkflow(workflow, {}, { body_mark: 'two' })))?.code).toBe('GLZ1009');
  });
});
