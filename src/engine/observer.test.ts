import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { noObserver, type Observer } from '../core/ports/observer.ts';
import { done, failed } from './testing/provider.suite.ts';
import { echo, once, World } from './testing/world.suite.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const ofAttempt = (n: number) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b${n}-01`;

/** Writes down what it hears, in short lines. */
function listening() {
  const heard: string[] = [];
  let spans = 0;
  const observer: Observer = {
    submitted: (runs) =>
      heard.push(`submitted ${runs.map(({ workflow, tasks }) => `${workflow?.name}:${tasks.length}`)}`),
    attemptStarted: ({ spec, attempt, provider }) => {
      heard.push(
        `attempt ${attempt} of ${spec.name} at ${provider}, trace ${spec.traceparent !== undefined}`,
      );
      return {
        traceparent: ofAttempt(++spans),
        ended: (answer, ms) => heard.push(`ended ${answer?.word ?? 'without an answer'} after ${ms}`),
        left: () => heard.push('left'),
      };
    },
    arrived: ({ attempt }) => heard.push(`arrived ${attempt}`),
    committed: ({ writes, claimed }) => {
      if (claimed > 0) heard.push(`committed ${writes}, claimed ${claimed}`);
    },
    commitFailed: (code) => heard.push(`commit failed ${code}`),
    settled: ({ status }) => heard.push(`settled ${status}`),
    leaseLost: () => heard.push('lease lost'),
  };
  return { heard, observer };
}

describe('an observer', () => {
  it('hears of a task from submit to result', async () => {
    const { heard, observer } = listening();
    const world = new World();
    const site = await world.started({ parts: { observer } });
    const task_id = await world.submit(site, { name: 'one', retry_config: { initial_delay: 1, jitter: 0 } });
    await world.time.advance(40);
    site.provider.last.failed('GLZ2002');
    await world.time.advance(1000);
    await world.time.advance(7);
    site.provider.last.done();
    await world.outcome(site, task_id);
    expect(heard).toEqual([
      'committed 1, claimed 1',
      'submitted undefined:1',
      'attempt 1 of one at provider-1, trace false',
      'ended failed after 40',
      'committed 1, claimed 1',
      'attempt 2 of one at provider-1, trace false',
      'ended done after 7',
      'settled completed',
    ]);
  });

  it('hears how an answer was judged, not only what the service said', async () => {
    const { heard, observer } = listening();
    const world = new World();
    const site = await world.started({ parts: { observer } });
    site.provider.reply = () => done('not what strict promises');
    await world.outcome(site, await world.submit(site, { method: 'strict', ...once }));
    expect(heard.slice(-2)).toEqual(['ended failed after 0', 'settled failed']);
  });

  it('hears of calls that nobody asks for any more, and of the lease that was lost', async () => {
    const { heard, observer } = listening();
    const world = new World(false);
    const site = await world.started({ parts: { observer } });
    const cancelled = await world.submit(site);
    await world.time.settle();
    await world.time.until(site.engine.cancelTask(cancelled));
    expect(heard).toContain('ended without an answer after 0');
    await world.submit(site);
    await world.time.advance(50);
    site.faults.beforeCommit = () => {
      throw new GleitzeitError('GLZ3001', 'away');
    };
    const other = await world.started();
    await world.time.advance(6000);
    expect(heard).toContain('commit failed GLZ3001');
    delete site.faults.beforeCommit;
    await world.time.advance(3000);
    expect(heard.filter((line) => line === 'lease lost')).toHaveLength(1);
    await world.time.until(other.engine.stop(0));
  });

  it('hears of new submissions only', async () => {
    const { heard, observer } = listening();
    const world = new World();
    const site = world.site({ parts: { observer } });
    const workflow = { name: 'w', tasks: [{ id: 'a', ...echo }] };
    for (let times = 0; times < 2; times++)
      await world.time.until(site.engine.submitWorkflow(workflow, { idempotency_key: 'k' }));
    await world.time.until(
      site.engine.submitMany([{ task: echo, idempotency_key: 'x' }, { task: { ...echo, name: 'n' } }]),
    );
    await world.time.until(
      site.engine.submitMany([{ task: echo, idempotency_key: 'x' }, { task: { ...echo, name: 'n' } }]),
    );
    expect(heard).toEqual([
      'submitted w:1',
      'submitted ',
      'submitted undefined:1,undefined:1',
      'submitted undefined:1',
    ]);
  });

  it('need not be there', () => {
    const { traceparent: none, ended } = noObserver.attemptStarted({} as never);
    expect([none, ended(null, 1)]).toEqual([null, undefined]);
    noObserver.submitted([]);
    noObserver.committed({ writes: 1, claimed: 0, ms: 1 });
    noObserver.commitFailed('GLZ3001');
    noObserver.settled({ task_id: 't', workflow_id: null, status: 'completed' });
    noObserver.leaseLost();
  });
});

describe('the trace of whoever submits', () => {
  it('goes with the task to the service, by the observer’s word where there is one', async () => {
    const world = new World();
    const { observer, heard } = listening();
    const traced = await world.started({ parts: { observer } });
    traced.provider.reply = () => done();
    await world.time.until(traced.engine.submit(echo, { traceparent }));
    await world.time.settle();
    expect(heard).toContain('attempt 1 of echo at provider-1, trace true');
    expect(traced.provider.last.traceparent).toBe(ofAttempt(1));
    await world.time.until(traced.engine.stop(0));
    await world.time.until(traced.store.close());
    const plain = await world.started();
    plain.provider.reply = () => failed();
    const workflow = { tasks: [{ id: 'a', ...echo }] };
    await world.time.until(plain.engine.submitWorkflow(workflow, { traceparent }));
    await world.time.until(plain.engine.submit(echo, { traceparent: 'nonsense' }));
    await world.time.settle();
    expect(plain.provider.calls.map((call) => call.traceparent)).toEqual([traceparent, undefined]);
  });

  it('is no part of what makes two submissions the same', async () => {
    const world = new World();
    const { engine } = world.site();
    const first = await world.time.until(engine.submit(echo, { idempotency_key: 'k', traceparent }));
    const second = await world.time.until(engine.submit(echo, { idempotency_key: 'k' }));
    expect(second).toEqual({ ...first, created: false });
  });
});
