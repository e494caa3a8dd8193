import { describe, expect, it } from 'vitest';
import type { OutsideWait } from '../core/answer.ts';
import type { Json } from '../core/json.ts';
import { outside } from '../core/testing/builders.suite.ts';
import { createRouter } from '../router/router.ts';
import { TestProvider } from './testing/provider.suite.ts';
import { once, type Site, World } from './testing/world.suite.ts';
import { viewTask } from './views.ts';

type Scene = { world: World; site: Site; task_id: string };

/** A task whose first attempt waits for someone. */
async function asked(wait: Partial<OutsideWait> = {}, task: object = once): Promise<Scene> {
  const world = new World();
  const site = await world.started();
  const task_id = await world.submit(site, task);
  site.provider.last.answer(outside(wait));
  await world.time.settle();
  return { world, site, task_id };
}

const respond = ({ world, site, task_id }: Scene, response: Json, more: object = {}) =>
  world.time.until(site.engine.responses.respond(task_id, { response, ...more }));

describe('a call that needs an answer from outside', () => {
  it('holds no slot and no lease meanwhile, and goes on with what it kept and what came', async () => {
    const scene = await asked();
    const { world, site, task_id } = scene;
    expect(world.row(task_id)).toMatchObject({ status: 'input_required', owner: null });
    expect(world.data.owned.size).toBe(0);
    expect(await respond(scene, { choice: 2 })).toEqual({ status: 'queued' });
    await world.time.settle();
    expect(site.provider.last).toMatchObject({
      attempt: 2,
      call_id: task_id,
      kept: { remote: 7 },
      response: { choice: 2 },
    });
    site.provider.last.done('at last');
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed', result: '"at last"' });
  });

  it('is told nothing of the kind where nothing was kept', async () => {
    const world = new World();
    const site = await world.started();
    await world.submit(site);
    expect(site.provider.last).toMatchObject({ kept: undefined, response: undefined, callback: undefined });
  });

  it('goes back to the provider that asked, whoever else there is', async () => {
    const world = new World();
    const [first, other] = [new TestProvider('a'), new TestProvider('b')];
    const site = await world.started({ parts: { router: createRouter([first, other]) } });
    for (let round = 0; round < 4; round++) {
      const task_id = await world.submit(site, once);
      const asking = first.running > 0 ? first : other;
      asking.last.answer(outside());
      await world.time.settle();
      await respond({ world, site, task_id }, round);
      await world.time.settle();
      expect(asking.last).toMatchObject({ task_id, attempt: 2, response: round });
      asking.last.done();
      await world.outcome(site, task_id);
    }
  });

  it('is answered after its engine was gone, by another one', async () => {
    const { world, site, task_id } = await asked({ after_ms: 3600_000 });
    await world.time.until(site.engine.stop());
    await site.store.close();
    const second = await world.started();
    await respond({ world, site: second, task_id }, 'yes');
    await world.time.settle();
    expect(second.provider.last).toMatchObject({ kept: { remote: 7 }, response: 'yes' });
    second.provider.last.done();
    expect(await world.outcome(second, task_id)).toMatchObject({ status: 'completed' });
  });

  it('fails when nobody answers in time, by the clock of the store', async () => {
    const { world, site, task_id } = await asked({ after_ms: 5_000 });
    await world.time.advance(4_999);
    expect(world.row(task_id).status).toBe('input_required');
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'failed',
      error: { message: 'nobody answered in the time that attempt 1 gave' },
    });
  });

  it('goes on without an answer where it wants to', async () => {
    const { world, site } = await asked({ kind: 'notification', after_ms: 5_000, late: 'resume' });
    await world.time.advance(5_000);
    expect(site.provider.last).toMatchObject({ attempt: 2, kept: { remote: 7 }, response: undefined });
  });

  it('shows what it asks, and nothing of what it keeps or is proved by', async () => {
    const { world, task_id } = await asked({ token: 'secret-token', after_ms: 5_000 });
    const task = world.row(task_id);
    const body = world.data.bodies.get(task_id);
    if (body === undefined) throw new Error('no body');
    const view = viewTask({ task, body }, { protocols: () => [] });
    expect(view.waiting_for).toEqual({
      ...{ kind: 'input', key: null, until: new Date(task.due_at ?? 0).toISOString() },
      ...{ ask: { question: 'which one?' }, attempt: 1 },
    });
    expect(JSON.stringify(view)).not.toContain('remote');
    expect(world.everything()).not.toContain('secret-token');
  });

  it('asks without the secrets that were open, and keeps what grants access sealed', async () => {
    const world = new World();
    const site = await world.started();
    const task = { method: 'login', params: { user: 'u', password: 'swordfish' } };
    const task_id = await world.submit(site, { ...task, ...once });
    site.provider.last.answer(outside({ kind: 'auth', ask: 'swordfish is not enough' }));
    await world.time.settle();
    expect(world.row(task_id).attempts[0]?.outside?.wait?.ask).toBe('[secret] is not enough');
    const scene = { world, site, task_id };
    await respond(scene, { otp: 'open-sesame' });
    await world.time.advance(100);
    expect(site.provider.last.response).toEqual({ otp: 'open-sesame' });
    expect(world.everything()).not.toContain('open-sesame');
    expect(await respond(scene, { otp: 'open-sesame' })).toEqual({ status: 'executing' });
    site.provider.last.failed('GLZ2010', 'open-sesame is wrong');
    expect((await world.outcome(site, task_id)).error?.message).toBe('[secret] is wrong');
  });

  it.each([
    [{ ask: 'x'.repeat(20_000) }, 'what it asks has 20002 characters of JSON, and 16384 are the most'],
    [{ kept: 'x'.repeat(20_000) }, 'what it keeps has 20002 characters'],
    [{ kept: undefined as never }, 'what it keeps is no JSON'],
    [
      { ask: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) },
      'what it asks nests deeper than 128 levels',
    ],
    [{ after_ms: Number.NaN }, 'it waits for NaN ms'],
    [{ after_ms: -1 }, 'it waits for -1 ms'],
    [{ kind: 'luck' as never }, 'it waits for "luck"'],
  ])('fails where it cannot be recorded: %#', async (wait, reason) => {
    const { world, task_id } = await asked(wait);
    const { status, error } = world.row(task_id);
    expect(status).toBe('failed');
    expect(error?.message).toContain(reason);
  });
});

describe('what a call keeps', () => {
  it('is durable before it is told so, and comes again after the engine died', async () => {
    const world = new World(false);
    const site = await world.started();
    const task_id = await world.submit(site);
    expect(await world.time.until(site.provider.last.keep?.({ remote: 1 }) ?? Promise.resolve(null))).toBe(
      true,
    );
    expect(world.row(task_id).attempts[0]?.outside?.kept?.text).toBe('{"remote":1}');
    await site.store.close();
    const second = await world.started();
    await world.time.advance(10_000);
    expect(second.provider.last).toMatchObject({ attempt: 2, kept: { remote: 1 } });
  });

  it('comes again after a stop, and is gone after a failure', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site, { retry_config: { initial_delay: 1, jitter: 0 } });
    await world.time.until(site.provider.last.keep?.(1) ?? Promise.resolve(null));
    await world.time.until(site.engine.stop(0));
    await site.store.close();
    const second = await world.started();
    await world.time.settle();
    expect(second.provider.last).toMatchObject({ attempt: 2, kept: 1 });
    second.provider.last.failed('GLZ2002', 'broke');
    await world.time.advance(1100);
    expect(second.provider.last).toMatchObject({ attempt: 3, kept: undefined });
    expect(world.row(task_id).attempts.map(({ outside }) => outside)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is refused once the task is not ours any more, and where it is too much', async () => {
    const world = new World();
    const site = await world.started();
    const task_id = await world.submit(site);
    const { keep } = site.provider.last;
    await expect(keep?.('x'.repeat(20_000))).rejects.toThrow('16384 are the most');
    await world.time.until(site.engine.cancelTask(task_id));
    expect(await world.time.until(keep?.(1) ?? Promise.resolve(null))).toBe(false);
  });
});

describe('an answer', () => {
  it('is refused where nobody asked, or where it is too much', async () => {
    const scene = await asked();
    await expect(respond({ ...scene, task_id: 'none' }, 1)).rejects.toMatchObject({ code: 'GLZ1010' });
    await expect(respond(scene, 'x'.repeat(70_000))).rejects.toMatchObject({ code: 'GLZ1007' });
    await expect(respond(scene, { $sealed: 'x' })).rejects.toMatchObject({ code: 'GLZ1005' });
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
    await expect(respond(scene, deep)).rejects.toMatchObject({ code: 'GLZ1005' });
    await expect(respond(scene, 1, { attempt: 7 })).rejects.toMatchObject({ code: 'GLZ1011' });
    await expect(respond(scene, 1, { token: 'any' })).rejects.toMatchObject({ code: 'GLZ4002' });
    expect(scene.world.row(scene.task_id).status).toBe('input_required');
  });

  it('given by two at once counts once, and only the same one is no error', async () => {
    const scene = await asked();
    const { world, site, task_id } = scene;
    const both = ['yes', 'no', 'yes'].map((response) => site.engine.responses.respond(task_id, { response }));
    const said = await world.time.until(Promise.allSettled(both));
    expect(said.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(world.eventsOf(task_id).filter((event) => event === 'task:responded')).toHaveLength(1);
    await world.time.settle();
    expect(site.provider.last.response).toBe('yes');
  });

  it('is looked for by what it says, however it is written', async () => {
    const scene = await asked();
    await respond(scene, { a: 1, b: 2 });
    expect(await respond(scene, { b: 2, a: 1 })).toMatchObject({ status: expect.any(String) });
  });
});

describe('a service that calls back', () => {
  const url = (task_id: string) => `https://here.example/notify/${task_id}`;

  async function called(): Promise<Scene & { token: string }> {
    const world = new World();
    const site = await world.started({ parts: { callbackUrl: url } });
    const task_id = await world.submit(site, once);
    const { callback } = site.provider.last;
    expect(callback?.url).toBe(url(task_id));
    return { world, site, task_id, token: callback?.token ?? '' };
  }

  const notify = ({ world, site, task_id }: Scene, token: string, body: Json) =>
    world.time.until(site.engine.responses.notify(task_id, { token, body }));

  it('is known by the token that the call gave it', async () => {
    const scene = await called();
    const { world, site, task_id, token } = scene;
    site.provider.last.answer(outside({ kind: 'notification', token }));
    await world.time.settle();
    expect(world.row(task_id)).toMatchObject({ status: 'executing', owner: null });
    expect(await notify(scene, 'wrong', 1)).toBe('unknown');
    expect(await notify({ ...scene, task_id: 'none' }, token, 1)).toBe('unknown');
    expect(await notify(scene, token, { state: 'done' })).toBe('taken');
    expect(await notify(scene, token, { state: 'done' })).toBe('taken');
    await world.time.settle();
    expect(site.provider.last).toMatchObject({ attempt: 2, response: { state: 'done' } });
    expect(site.provider.last.callback?.token).toBe(token);
    site.provider.last.done();
    await world.outcome(site, task_id);
    expect(await notify(scene, token, 'more')).toBe('taken');
    expect(await notify(scene, 'wrong', 'more')).toBe('unknown');
    expect(world.everything()).not.toContain(token);
  });

  it('may be quicker than we are', async () => {
    const scene = await called();
    const { world, site, token } = scene;
    expect(await notify(scene, token, 0)).toBe('soon');
    await world.time.advance(100);
    expect(await notify(scene, token, 1)).toBe('taken');
    site.provider.last.answer(outside({ kind: 'notification', token }));
    await world.time.settle();
    expect(site.provider.last).toMatchObject({ attempt: 2, response: 1 });
  });

  it('is known by the token of its own making, too', async () => {
    const { world, site, task_id } = await asked({ kind: 'notification', token: 'its own' });
    const scene = { world, site, task_id };
    expect(await notify(scene, 'its own', 1)).toBe('taken');
    expect(await notify(scene, 'its own', 1)).toBe('unknown');
  });

  it('has another token after a person asked for another try', async () => {
    const scene = await called();
    const { world, site, task_id, token } = scene;
    site.provider.last.failed();
    await world.outcome(site, task_id);
    await world.time.until(site.engine.retryTask(task_id));
    await world.time.settle();
    expect(site.provider.last.callback?.token).not.toBe(token);
    expect(await notify(scene, token, 1)).toBe('unknown');
  });

  it('is not heard where there is no key to have made a token with', async () => {
    const world = new World();
    const nothing = () => {
      throw new Error('no key');
    };
    const cipher = { seal: nothing, open: nothing, mark: nothing, isCurrent: nothing };
    const site = await world.started({ parts: { cipher } });
    const task_id = await world.submit(site, once);
    expect(await notify({ world, site, task_id }, 'any', 1)).toBe('unknown');
  });
});
