import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../core/limits.ts';
import { MASK, SEALED } from '../core/secrets.ts';
import { idIn, once, type Site, World } from './testing/world.suite.ts';
import { unsealedView, viewTask } from './views.ts';

async function submitted(task: object = {}): Promise<{ world: World; site: Site; task_id: string }> {
  const world = new World();
  const site = await world.started();
  return { world, site, task_id: await world.submit(site, task) };
}

const invalid = (reason: RegExp) => ({
  status: 'failed',
  result: null,
  error: { data: { error_code: 'GLZ2005' }, message: expect.stringMatching(reason) },
});

describe('a result', () => {
  it.each(['null', '0', '""', '{"a":[1]}', ' {"spaces": true} '])(
    'of %s is kept as it came',
    async (text) => {
      const { world, site, task_id } = await submitted();
      site.provider.last.answer({ word: 'done', result: text });
      expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed', result: text });
      expect(world.data.results.get(task_id)?.result).toBe(text);
    },
  );

  it('of the largest size is kept, and one character more is not', async () => {
    const { world, site, task_id } = await submitted();
    site.provider.last.answer({ word: 'done', result: `"${'x'.repeat(MAX_PAYLOAD - 2)}"` });
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    const other = await world.submit(site);
    site.provider.last.answer({ word: 'done', result: `"${'x'.repeat(MAX_PAYLOAD - 1)}"` });
    expect(await world.outcome(site, other)).toMatchObject(invalid(/at most 8388608/));
  });

  it('of the greatest depth is kept, and one level more is not', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const { world, site, task_id } = await submitted();
    site.provider.last.answer({ word: 'done', result: nested(MAX_JSON_DEPTH) });
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    const other = await world.submit(site);
    site.provider.last.answer({ word: 'done', result: nested(100_000) });
    expect(await world.outcome(site, other)).toMatchObject(invalid(/deeper than 128/));
  });

  it.each(['', '{', 'undefined', '{"a":1}x'])('that is no JSON (%j) fails the task', async (text) => {
    const { world, site, task_id } = await submitted();
    site.provider.last.answer({ word: 'done', result: text });
    expect(await world.outcome(site, task_id)).toMatchObject(invalid(/./));
    expect(site.provider.calls).toHaveLength(1);
  });

  it('cannot pass for a sealed value', async () => {
    const { world, site, task_id } = await submitted();
    site.provider.last.done({ deep: [{ [SEALED]: 'v1.x.y' }] });
    expect(await world.outcome(site, task_id)).toMatchObject(invalid(/\$sealed/));
  });

  it('that breaks its schema fails the task without another try', async () => {
    const { world, site, task_id } = await submitted({ method: 'strict' });
    site.provider.last.done({ ok: false });
    expect(await world.outcome(site, task_id)).toMatchObject(invalid(/strict promises/));
    expect(world.row(task_id).attempt_count).toBe(1);
  });

  it('that the store cannot hold fails the task, and whoever waits hears that', async () => {
    const { world, site, task_id } = await submitted();
    site.faults.refuses = (write) => write.kind === 'settle' && write.answer.word === 'done';
    const told = site.engine.result(task_id, 60_000);
    site.provider.last.done('\u0000');
    expect(await world.time.until(told)).toMatchObject(invalid(/the store cannot hold it/));
    expect(await world.outcome(site, task_id)).toMatchObject(invalid(/the store cannot hold it/));
    expect(world.data.results.size).toBe(0);
  });
});

describe('an outcome the store does not take at once', () => {
  it('is written when the store is back, and told once', async () => {
    const { world, site, task_id } = await submitted();
    let failures = 4;
    site.faults.beforeCommit = () => {
      if (failures-- > 0) throw new GleitzeitError('GLZ3003', 'disk full');
    };
    const told: unknown[] = [];
    void site.engine.result(task_id, 60_000).then((outcome) => told.push(outcome));
    site.provider.last.done('precious');
    await world.time.advance(20);
    expect(world.row(task_id).status).not.toBe('completed');
    await world.time.advance(1000);
    expect(told).toEqual([{ task_id, status: 'completed', result: '"precious"', error: null }]);
    expect(site.provider.calls).toHaveLength(1);
    expect(world.eventsOf(task_id).filter((event) => event === 'task:completed')).toHaveLength(1);
  });

  it('is recorded once when it was written and only the answer was lost', async () => {
    const { world, site, task_id } = await submitted();
    let lost = 2;
    site.faults.afterCommit = ({ writes }) => {
      if (writes.some(({ kind }) => kind === 'settle') && lost-- > 0)
        throw new GleitzeitError('GLZ3001', 'connection lost');
    };
    const told = site.engine.result(task_id, 60_000);
    site.provider.last.done('precious');
    expect(await world.time.until(told)).toMatchObject({ status: 'completed', result: '"precious"' });
    await world.time.advance(2000);
    expect(world.eventsOf(task_id).filter((event) => event === 'task:completed')).toHaveLength(1);
    expect(site.provider.calls).toHaveLength(1);
    expect(world.data.owned.size).toBe(0);
  });
});

describe('a failure', () => {
  it('keeps code, message and details', async () => {
    const { world, site, task_id } = await submitted(once);
    const error = new GleitzeitError('GLZ2010', 'no', {
      field: '/params/a',
      reason: 'r',
      hint: 'h',
      remote_code: -32001,
      details: { a: [1] },
    }).toRecord();
    site.provider.last.answer({ word: 'failed', error });
    expect((await world.outcome(site, task_id)).error).toEqual(error);
    expect(world.row(task_id).error).toEqual(error);
  });

  it('is tried again after as long as the service asks', async () => {
    const { world, site } = await submitted();
    const error = new GleitzeitError('GLZ2004', 'slow down', { retry_after_ms: 4321 }).toRecord();
    site.provider.last.answer({ word: 'failed', error });
    await world.time.advance(4320);
    expect(site.provider.calls).toHaveLength(1);
    await world.time.advance(1);
    expect(site.provider.calls).toHaveLength(2);
  });

  it('with a time to wait that is no number is tried again as if it had none', async () => {
    const { world, site, task_id } = await submitted({ retry_config: { initial_delay: 1, jitter: 0 } });
    const { code, message, data } = new GleitzeitError('GLZ2004', 'slow down').toRecord();
    const error = { code, message, data: { ...data, retry_after_ms: 'tomorrow' } };
    site.provider.last.answer({ word: 'failed', error: error as never });
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(2);
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
  });
});

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
    const view = found === null ? null : viewTask(found, []);
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
    expect(unsealedView(first.result ?? '')).toEqual({ token: MASK, user: 'ada' });
    expect(site.provider.last.params).toEqual({ auth: 'Bearer t0ps3cret' });
    site.provider.last.failed('GLZ2010', 'bad header Bearer t0ps3cret');
    const second = await world.outcome(site, idIn(tasks, 'b'));
    expect(second.error?.message).toBe(`bad header Bearer ${MASK}`);
    expectHidden(world, site, [...hidden, 't0ps3cret']);
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
