import { describe, expect, it } from 'vitest';
import { noObserver, type Observer } from '../core/ports/observer.ts';
import { answerTo, Courier, nameOf } from './testing/courier.suite.ts';
import { done, failed } from './testing/provider.suite.ts';
import { once, step, World } from './testing/world.suite.ts';

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

describe('what is heard meanwhile', () => {
  it('is that it has started, which is written where it lasts', async () => {
    const { world, courier, submit } = await started();
    const task_id = await submit();
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'started', ago_ms: 2 });
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'started', ago_ms: 0 });
    await world.time.advance(10);
    const row = world.row(task_id);
    expect(row).toMatchObject({ status: 'executing', owner: null, attempt_count: 1 });
    expect(world.eventsOf(task_id).filter((event) => event === 'task:started')).toHaveLength(1);
    const quick = await submit();
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'started', ago_ms: 0 });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    await world.time.advance(10);
    expect(world.eventsOf(quick).slice(-2)).toEqual(['task:started', 'task:completed']);
  });

  it('may come before it is written that the call has left', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site);
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'started', ago_ms: 0 });
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'progress', progress: { progress: 1 } });
    await world.time.advance(100);
    expect(world.row(task_id).status).toBe('queued');
    courier.last.leave();
    await world.time.advance(10);
    expect(world.row(task_id).status).toBe('executing');
  });

  it('is how it is getting on, without secrets', async () => {
    const { world, courier, submit } = await started();
    const task_id = await submit({ ...secret, method: 'echo', params: { a: 1 } });
    const progress = { progress: 1, total: 2, message: 'half way' };
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'progress', progress });
    await world.time.advance(1000);
    expect(world.row(task_id).attempts.at(-1)?.progress).toMatchObject(progress);
    const guarded = await submit(secret);
    courier.arrivals.news({
      ...nameOf(courier.last),
      kind: 'progress',
      progress: { message: 'with hunter2', text: 'token' },
    });
    await world.time.advance(1000);
    expect(world.row(guarded).attempts.at(-1)?.progress).toMatchObject({
      message: 'with [secret]',
      text: null,
    });
  });

  it('is nothing where the call is not ours', async () => {
    const { world, courier, other, submit } = await withAnother();
    const task_id = await submit();
    other.arrivals.news({ ...nameOf(courier.last), kind: 'started', ago_ms: 0 });
    other.arrivals.news({ ...nameOf(courier.last), kind: 'progress', progress: { progress: 1 } });
    await world.time.advance(1000);
    expect(world.row(task_id).status).toBe('routed');
  });
});

describe('what a call that is away keeps', () => {
  it('is there for the next attempt', async () => {
    const { world, courier, submit } = await started();
    await submit({ retry_config: { initial_delay: 1, jitter: 0 } });
    const { arrivals, last } = courier;
    await world.time.until(arrivals.kept({ ...nameOf(last), provider: null, kept: { job: 7 } }));
    await world.time.until(arrivals.ended(answerTo(last, { word: 'again', after_ms: 0, reason: 'later' })));
    await world.time.advance(1000);
    expect(courier.last).toMatchObject({ attempt: 2, kept: { job: 7 } });
  });

  it('waits until it is written that the call has left, for a while', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site);
    const { arrivals, last } = courier;
    const kept = arrivals.kept({ ...nameOf(last), provider: null, kept: 1 });
    await world.time.advance(30);
    last.leave();
    await world.time.until(kept);
    expect(world.row(task_id).attempts[0]?.outside?.kept?.text).toBe('1');
    await world.submit(site);
    const vain = arrivals.kept({ ...nameOf(courier.last), provider: null, kept: 1 });
    await world.time.until(vain);
    expect(world.time.monotonic()).toBeGreaterThan(1500);
  });

  it('is refused where it is too much', async () => {
    const { world, courier, submit } = await started();
    await submit();
    const kept = { ...nameOf(courier.last), provider: null, kept: 'x'.repeat(20_000) };
    await expect(world.time.until(courier.arrivals.kept(kept))).rejects.toThrow(/what it keeps/);
  });
});

describe('whoever observes', () => {
  function watched() {
    const told: unknown[] = [];
    const observer: Observer = {
      ...noObserver,
      attemptStarted: ({ attempt }) => ({
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        ended: (answer, ms) => void told.push(['ended', attempt, answer?.word ?? null, ms]),
        left: () => void told.push(['left', attempt]),
      }),
      arrived: ({ attempt, protocol }, answer, ms) =>
        void told.push(['arrived', attempt, protocol, answer.word, ms]),
    };
    return { told, observer };
  }

  it('hears of a call from the engine that handed it over, or from the one that has its answer', async () => {
    const { told, observer } = watched();
    const { world, courier, other, submit } = await withAnother({ parts: { observer } });
    await submit();
    expect(courier.last.traceparent).toMatch(/^00-4bf9/);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done(), { took_ms: 7 })));
    await submit();
    await world.time.until(other.arrivals.ended(answerTo(courier.last, done(), { took_ms: 8 })));
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'ended' });
    expect(told).toEqual([
      ['ended', 1, 'done', 7],
      ['arrived', 1, 'test/v1', 'done', 8],
      ['left', 1],
    ]);
  });

  it('hears that it came to nothing', async () => {
    const { told, observer } = watched();
    const { world, courier, site } = await started({ parts: { observer } });
    courier.atOnce = null;
    await world.submit(site, once);
    courier.last.say({ word: 'wait', line: { kind: 'breaker', key: 'broker', fair: false } });
    await world.time.settle();
    await world.submit(site, once);
    courier.last.say(failed());
    await world.time.settle();
    expect(told).toEqual([
      ['ended', 1, null, 0],
      ['ended', 1, 'failed', 0],
    ]);
  });
});

describe('a run', () => {
  it('goes on through several engines, each of which hears of what it hears of', async () => {
    const { world, courier, other, site } = await withAnother();
    const flow = { name: 'w', tasks: [step('a'), step('b', {}, { dependencies: ['a'] })] };
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(flow));
    await world.time.settle();
    const waiting = site.engine.runResult(workflow_id ?? '', 60_000);
    const [first] = [...courier.parcels, ...other.parcels];
    await world.time.until(other.arrivals.ended(answerTo(first ?? courier.last)));
    await world.time.settle();
    const second = [...courier.parcels, ...other.parcels].find(({ task_id }) => task_id !== first?.task_id);
    await world.time.until(courier.arrivals.ended(answerTo(second ?? courier.last)));
    expect(await world.time.until(waiting)).toMatchObject({ status: 'completed' });
  });
});
