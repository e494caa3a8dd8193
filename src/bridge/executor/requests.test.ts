import { afterEach, describe, expect, it } from 'vitest';
import { InProcessWorld } from '../in-process/world.ts';
import { defaultTopics } from '../topics.ts';
import { noExecutorObserver } from './observer.ts';
import { Requests } from './requests.ts';
import { openSite, type Site, valuesOn } from './site.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(world = new InProcessWorld()) {
  const counted: string[] = [];
  const observer = {
    ...noExecutorObserver,
    arrived: (kind: string) => void counted.push(kind),
    deadLetter: (topic: string, code: string) => void counted.push(`${topic} ${code}`),
  };
  const site = await openSite({ world, observer });
  ends.push(site.remove, site.close);
  const requests = new Requests(site.parts, {
    run: ({ run_id, workflow_plan, input_data }) =>
      site.engine.submitWorkflow({ ...Object(workflow_plan), workflow_id: run_id }, { input: input_data }),
    cancel: async ({ run_id, reason }) => void (await site.engine.cancelRun(run_id, reason)),
  });
  requests.start();
  ends.push(() => requests.stop(1000));
  return { site, counted };
}

const plan = {
  name: 'plan',
  tasks: [{ id: 'first', protocol: 'echo/v1', method: 'echo', params: { who: '${workflow.input.who}' } }],
};

/** As soon as the topic is there. */
async function ask({ broker }: Site, topic: keyof typeof defaultTopics, ...values: unknown[]) {
  const messages = values.map((value) => ({ key: 'k', value: JSON.stringify(value) }));
  await expect
    .poll(() =>
      broker.publish(defaultTopics[topic], messages).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
}

const runOf = async ({ store }: Site, run_id: string) => (await store.reads.run(run_id))?.run;

describe('requests over the broker', () => {
  it('run a workflow under the id they give it, once', async () => {
    const { site, counted } = await open();
    const request = { run_id: 'run-7', workflow_plan: plan, input_data: { who: 'you' }, correlation_id: 'c' };
    await ask(site, 'execution_requests', request, request);
    await expect.poll(() => runOf(site, 'run-7')).toMatchObject({ status: 'running', total: 1 });
    await expect.poll(() => counted).toEqual(['execution_request', 'execution_request']);
    await expect
      .poll(() => site.broker.lag('gleitzeit-engines.executions', defaultTopics.execution_requests))
      .toBe(0);
    expect((await site.store.reads.runs({ limit: 10 })).items).toHaveLength(1);
  });

  it('that nobody can carry out are put aside, and those behind them are carried out', async () => {
    const { site } = await open();
    const broken = {
      run_id: 'bad',
      workflow_plan: { tasks: [{ id: 'a', protocol: 'echo/v1', method: 'none' }] },
    };
    const other = { run_id: 'good', workflow_plan: { ...plan, name: 'another' } };
    await ask(site, 'execution_requests', { run_id: 'none' }, broken, {
      run_id: 'good',
      workflow_plan: plan,
    });
    await expect.poll(() => runOf(site, 'good')).toMatchObject({ name: 'plan' });
    await ask(site, 'execution_requests', other);
    const letters = await valuesOn(site.broker, defaultTopics.dead_letters, 3);
    expect(letters).toMatchObject([
      { topic: 'workflow.execution.requests', error_code: 'GLZ4006' },
      { topic: 'workflow.execution.requests', error_code: 'GLZ1004' },
      { topic: 'workflow.execution.requests', error_code: 'GLZ1009' },
    ]);
  });

  it('cancel a run, also where they come before it', async () => {
    const { site, counted } = await open();
    await ask(site, 'cancellation_requests', { run_id: 'run-8', requested_by: 'me', reason: 'not wanted' });
    await expect.poll(() => counted).toContain('cancellation_request');
    await ask(site, 'execution_requests', {
      run_id: 'run-8',
      workflow_plan: plan,
      input_data: { who: 'me' },
    });
    await expect.poll(() => runOf(site, 'run-8'), { timeout: 10_000 }).toMatchObject({ status: 'cancelled' });
    // Said again it changes nothing, and is no reason to complain.
    await ask(site, 'cancellation_requests', { run_id: 'run-8' });
    await expect
      .poll(() => site.broker.lag('gleitzeit-engines.cancellations', defaultTopics.cancellation_requests))
      .toBe(0);
    expect(counted.filter((kind) => kind.startsWith('workflow.'))).toEqual([]);
  });

  it('are heard once the broker is there', async () => {
    const world = new InProcessWorld();
    world.goAway();
    const { site } = await open(world);
    world.comeBack();
    await ask(site, 'execution_requests', { run_id: 'late', workflow_plan: plan, input_data: { who: 'x' } });
    await expect.poll(() => runOf(site, 'late'), { timeout: 10_000 }).toMatchObject({ status: 'running' });
  });
});
