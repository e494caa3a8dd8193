import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../core/limits.ts';
import { SEALED } from '../core/secrets.ts';
import { once, type Site, World } from './testing/world.suite.ts';

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
    expect(await world.outcome(site, other)).toMatchObject(invalid(/more than 8388608 characters/));
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
    expect(told).toEqual([
      { task_id, status: 'completed', result: '"precious"', error: null, stored_at: expect.any(Number) },
    ]);
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
  it('keeps code, message and details, and says whose attempt it was', async () => {
    const { world, site, task_id } = await submitted(once);
    const error = new GleitzeitError('GLZ2010', 'no', {
      field: '/params/a',
      reason: 'r',
      hint: 'h',
      remote_code: -32001,
      details: { a: [1] },
    }).toRecord();
    site.provider.last.answer({ word: 'failed', error });
    const whose = { provider: site.provider.id, attempt: 1 };
    const kept = { ...error, data: { ...error.data, ...whose } };
    expect((await world.outcome(site, task_id)).error).toEqual(kept);
    expect(world.row(task_id).error).toEqual(kept);
  });

  it('says whose attempt it was also where the service says otherwise, the time was up, or the result is none', async () => {
    const { world, site, task_id } = await submitted(once);
    const whose = { provider: site.provider.id, attempt: 1 };
    const lies = { provider: 'another', attempt: 9 };
    const { code, message, data } = new GleitzeitError('GLZ2010', 'no').toRecord();
    site.provider.last.answer({ word: 'failed', error: { code, message, data: { ...data, ...lies } } });
    expect((await world.outcome(site, task_id)).error?.data).toMatchObject(whose);
    const late = await world.submit(site, { timeout: 2, ...once });
    await world.time.advance(2000);
    expect((await world.outcome(site, late)).error?.data).toMatchObject({ error_code: 'GLZ2003', ...whose });
    const wrong = await world.submit(site);
    site.provider.last.answer({ word: 'done', result: '{' });
    expect((await world.outcome(site, wrong)).error?.data).toMatchObject({ error_code: 'GLZ2005', ...whose });
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

  it.each(['tomorrow', 1e17, 1e300])(
    'with a time to wait that makes no sense (%j) is tried again as if it had none',
    async (retry_after_ms) => {
      const { world, site, task_id } = await submitted({ retry_config: { initial_delay: 1, jitter: 0 } });
      const { code, message, data } = new GleitzeitError('GLZ2004', 'slow down').toRecord();
      const error = { code, message, data: { ...data, retry_after_ms } };
      site.provider.last.answer({ word: 'failed', error: error as never });
      await world.time.advance(1000);
      expect(site.provider.calls).toHaveLength(2);
      site.provider.last.done();
      expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    },
  );
});

describe('a provider that asks to be asked again', () => {
  const TEN_YEARS = 10 * 365 * 24 * 3600 * 1000;

  it('is asked again in ten years, if it says so', async () => {
    const { world, site, task_id } = await submitted();
    site.provider.last.answer({ word: 'again', after_ms: TEN_YEARS, reason: 'busy' });
    await world.time.advance(0);
    expect(world.row(task_id)).toMatchObject({
      status: 'retrying',
      due_at: world.row(task_id).created_at + TEN_YEARS,
    });
  });

  it.each([TEN_YEARS + 1, 1e17, 1e300, Number.POSITIVE_INFINITY, Number.NaN])(
    'after %d ms cannot be right, and the task says so',
    async (after_ms) => {
      const { world, site, task_id } = await submitted();
      site.provider.last.answer({ word: 'again', after_ms, reason: 'busy' });
      expect(await world.outcome(site, task_id)).toMatchObject(invalid(/come again after .* ms/));
    },
  );
});
