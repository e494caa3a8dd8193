import { afterEach, describe, expect, it } from 'vitest';
import { InProcessBroker } from '../in-process/broker.ts';
import { defaultTopics } from '../topics.ts';
import { Monitoring } from './monitoring.ts';
import { HandBridge, keepFor, openSite, type Site, stateIn, valuesOn } from './site.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open() {
  const site = await openSite();
  ends.push(site.remove, site.close);
  const broker = new InProcessBroker(site.world);
  const bridge = new HandBridge(broker);
  await bridge.start();
  ends.push(() => broker.close(0));
  await keepFor(site.broker, defaultTopics.monitoring);
  return { site, bridge };
}

function monitor(site: Site, name = 'engine-1') {
  const monitoring = new Monitoring({ ...site.parts, name, reads: site.store.reads, state: stateIn(site) });
  monitoring.start();
  ends.push(() => monitoring.stop());
  return monitoring;
}

const begun = ({ store }: Site) =>
  expect.poll(() => store.reads.document('dispatch', 'monitoring')).not.toBeNull();

const plan = (id: string) => ({
  workflow_id: id,
  tasks: [
    { id: 'a', name: 'First', protocol: 'echo/v1', method: 'echo' },
    { id: 'b', name: 'Second', protocol: 'echo/v1', method: 'echo', dependencies: ['a'] },
  ],
});

describe('those who look on', () => {
  it('are told what becomes of each step, keyed by its run', async () => {
    const { site, bridge } = await open();
    monitor(site);
    await begun(site);
    await site.engine.submitWorkflow(plan('run-1'));
    await bridge.answer(await bridge.task(0), { word: 'done', result: '1' });
    await bridge.answer(await bridge.task(1), {
      word: 'failed',
      error: { code: 2010, message: 'no', data: { error_code: 'GLZ2010' } },
    });
    const told = await valuesOn(site.broker, defaultTopics.monitoring, 4);
    const [first, second] = [
      { run_id: 'run-1', step_id: 'a', step_name: 'First' },
      { run_id: 'run-1', step_id: 'b', step_name: 'Second' },
    ];
    expect(told).toMatchObject([
      { ...first, status: 'RUNNING', metadata: { event: 'task:started', attempt: 1 } },
      { ...first, status: 'COMPLETED', metadata: { event: 'task:completed' } },
      { ...second, status: 'RUNNING' },
      { ...second, status: 'FAILED', metadata: { error_code: 'GLZ2010', error_message: 'no' } },
    ]);
  });

  it('miss nothing of what happens while nobody tells', async () => {
    const { site, bridge } = await open();
    const first = monitor(site);
    await begun(site);
    await first.stop();
    await site.engine.submitWorkflow(plan('run-2'));
    await bridge.answer(await bridge.task(0), { word: 'done', result: '1' });
    await bridge.answer(await bridge.task(1), { word: 'done', result: '2' });
    await site.engine.runResult('run-2', 20_000);
    monitor(site);
    const told = await valuesOn(site.broker, defaultTopics.monitoring, 4);
    expect(told.map((update) => `${Object(update).step_id} ${Object(update).status}`)).toEqual([
      ...['a RUNNING', 'a COMPLETED', 'b RUNNING', 'b COMPLETED'],
    ]);
  });

  it('are told by one engine, as long as it is there', async () => {
    const { site, bridge } = await open();
    monitor(site);
    await begun(site);
    monitor(site, 'engine-2');
    await site.engine.submitWorkflow(plan('run-3'));
    await bridge.answer(await bridge.task(0), { word: 'done', result: '1' });
    await bridge.task(1);
    await site.engine.cancelRun('run-3', 'enough');
    const told = await valuesOn(site.broker, defaultTopics.monitoring, 3);
    expect(told.map((update) => `${Object(update).step_id} ${Object(update).status}`)).toEqual([
      ...['a RUNNING', 'a COMPLETED', 'b FAILED'],
    ]);
    const { text } = (await site.store.reads.document('dispatch', 'monitoring')) ?? { text: '{}' };
    expect(JSON.parse(text)).toMatchObject({ owner: 'engine-1' });
  });
});
