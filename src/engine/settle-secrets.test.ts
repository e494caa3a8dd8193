import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { MASK, SEALED } from '../core/secrets.ts';
import { idIn, once, type Site, World } from './testing/world.suite.ts';
import { maskedView, viewTask } from './views.ts';

async function submitted(task: object = {}): Promise<{ world: World; site: Site; task_id: string }> {
  const world = new World();
  const site = await world.started();
  return { world, site, task_id: await world.submit(site, task) };
}

describe('secrets', () => {
  const password = 'hunter2-"quoted"\\and\nmore';
  const login = { method: 'login', params: { user: 'ada', password, keys: ['k-alpha', 'k-beta'] }, ...once };
  const hidden = ['hunter2', 'k-alpha', 'k-beta', 'and\\nmore'];

  /** The secret must be nowhere: not in a table, an event, the journal of all commits, or the log. */
  function expectHidden(world: World, site: Site, texts: readonly string[] = hidden): void {
    const stored = world.everything() + JSON.stringify(site.log);
    for (const text of texts) expect(stored).not.toContain(text);
  }

  it('in params are sealed in the store, open in the call, and masked in views', async () => {
    const { world, site, task_id } = await submitted(login);
    expect(site.provider.last.params).toEqual(login.params);
    site.provider.last.done({ token: 't0ps3cret', user: 'ada' });
    await world.outcome(site, task_id);
    expectHidden(world, site);
    const found = await site.store.reads.task(task_id);
    const view = found === null ? null : viewTask(found, { protocols: () => [] });
    expect(view?.params).toEqual({ user: 'ada', password: MASK, keys: [MASK, MASK] });
    expect(JSON.stringify(view)).not.toContain(SEALED);
  });

  it('in results are sealed in the store and for whoever waits, and open for the tasks that refer to them', async () => {
    const world = new World();
    const site = await world.started();
    const { tasks } = await world.time.until(
      site.engine.submitWorkflow({
        tasks: [
          { id: 'a', ...login, protocol: 'test/v1' },
          { id: 'b', protocol: 'test/v1', method: 'echo', params: { auth: 'Bearer ${a.result.token}' } },
        ],
      }),
    );
    site.provider.last.done({ token: 't0ps3cret', user: 'ada' });
    const first = await world.outcome(site, idIn(tasks, 'a'));
    expect(first.result).not.toContain('t0ps3cret');
    expect(maskedView(first.result ?? '')).toEqual({ token: MASK, user: 'ada' });
    expect(site.provider.last.params).toEqual({ auth: 'Bearer t0ps3cret' });
    site.provider.last.failed('GLZ2010', 'bad header Bearer t0ps3cret');
    const second = await world.outcome(site, idIn(tasks, 'b'));
    expect(second.error?.message).toBe(`bad header Bearer ${MASK}`);
    expectHidden(world, site, [...hidden, 't0ps3cret']);
  });

  it('that a service repeats in its result are masked before it is stored, keys and encodings included', async () => {
    const { world, site, task_id } = await submitted(login);
    site.provider.last.done({
      token: 't0ps3cret',
      heard: `you said ${password}`,
      header: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
      [password]: [1, 'user ada'],
    });
    const { result } = await world.outcome(site, task_id);
    expect(maskedView(result ?? '')).toMatchObject({
      token: MASK,
      heard: `you said ${MASK}`,
      header: expect.stringContaining(MASK),
      [MASK]: [1, 'user ada'],
    });
    expectHidden(world, site, ['hunter2', 'and\\nmore', 't0ps3cret']);
  });

  it('of a few characters leave results as they are: they would be found everywhere', async () => {
    const { world, site, task_id } = await submitted({ method: 'login', params: { password: '2' }, ...once });
    site.provider.last.done({ token: 't', count: 25, text: '2 of 2' });
    const { result } = await world.outcome(site, task_id);
    expect(maskedView(result ?? '')).toEqual({ token: MASK, count: 25, text: '2 of 2' });
  });

  it.each([
    ['as it is', (secret: string) => `bad password ${secret}!`],
    ['inside JSON', (secret: string) => `sent ${JSON.stringify({ password: secret })}`],
    ['inside JSON inside JSON', (secret: string) => JSON.stringify({ body: JSON.stringify([secret]) })],
  ])('are kept out of errors, %s', async (_how, quote) => {
    const { world, site, task_id } = await submitted(login);
    const error = new GleitzeitError('GLZ2010', quote(password), {
      reason: quote(password),
      details: { sent: [quote(password), 'k-beta'], [password]: 1 },
    }).toRecord();
    site.provider.last.answer({ word: 'failed', error });
    const outcome = await world.outcome(site, task_id);
    expect(outcome.error?.data.error_code).toBe('GLZ2010');
    expect(outcome.error?.message).toContain(MASK);
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
    expectHidden(world, site);
  });

  it('are kept out of errors that are cut within them', async () => {
    const { world, site, task_id } = await submitted(login);
    const message = 'x'.repeat(4096 - 4) + password;
    site.provider.last.answer({ word: 'failed', error: new GleitzeitError('GLZ2010', message).toRecord() });
    const outcome = await world.outcome(site, task_id);
    expect(outcome.error?.message).not.toContain(password.slice(0, 4));
    expect(outcome.error?.message.length).toBeLessThan(4200);
  });

  it('are kept out of what a provider says when it asks to be asked again', async () => {
    const { world, site } = await submitted(login);
    site.provider.last.answer({ word: 'again', after_ms: 10, reason: `busy with ${password}` });
    await world.time.advance(100);
    expect(site.provider.calls).toHaveLength(2);
    expectHidden(world, site);
  });

  it('are kept out of errors of schemas, and of params that could not be put together', async () => {
    const world = new World();
    const site = await world.started();
    const { tasks } = await world.time.until(
      site.engine.submitWorkflow({
        tasks: [
          { id: 'a', ...login, protocol: 'test/v1' },
          { id: 'b', protocol: 'test/v1', method: 'echo', params: { count: '${a.result.token}' } },
        ],
      }),
    );
    site.provider.last.done({ token: 't0ps3cret' });
    const outcome = await world.outcome(site, idIn(tasks, 'b'));
    expect(outcome.error).toMatchObject({ data: { error_code: 'GLZ1005', field: '/params/count' } });
    expect(outcome.error?.message).toContain(MASK);
    expectHidden(world, site, ['t0ps3cret', ...hidden]);
  });

  it('are known by their field, also when a result filled it that nobody marked', async () => {
    const world = new World();
    const site = await world.started();
    const { tasks } = await world.time.until(
      site.engine.submitWorkflow({
        tasks: [
          { id: 'a', protocol: 'test/v1', method: 'echo' },
          { id: 'b', protocol: 'test/v1', method: 'login', params: { password: '${a.result.pin}' }, ...once },
        ],
      }),
    );
    site.provider.last.done({ pin: 'zebra-77' });
    await world.time.settle();
    expect(site.provider.last.params).toEqual({ password: 'zebra-77' });
    site.provider.last.failed('GLZ2010', 'wrong: zebra-77');
    const outcome = await world.outcome(site, idIn(tasks, 'b'));
    expect(outcome.error?.message).toBe(`wrong: ${MASK}`);
  });

  it.each(['code', 'GLZ', 'e', '"', '2', 'error_code', '}'])(
    'of any look (%j) leave the error an error',
    async (secret) => {
      const { world, site, task_id } = await submitted({
        method: 'login',
        params: { password: secret },
        ...once,
      });
      site.provider.last.failed('GLZ2010', `it was ${secret}`);
      const { error, status } = await world.outcome(site, task_id);
      expect(status).toBe('failed');
      expect(error).toMatchObject({ code: 2010, data: { error_code: 'GLZ2010' } });
      expect(error?.message.replaceAll(MASK, '')).not.toContain(secret);
    },
  );

  it('that cannot be opened fail the task without a call', async () => {
    const world = new World();
    const site = world.site();
    const task_id = await world.submit(site, login);
    const body = world.data.bodies.get(task_id);
    if (body === undefined) throw new Error('no body');
    const params = JSON.stringify({ password: { [SEALED]: 'v1.00000000.AAAA' } });
    world.data.bodies.set(task_id, { ...body, params });
    await world.time.until(site.engine.start());
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ3010' } },
    });
    expect(site.provider.calls).toHaveLength(0);
  });
});
