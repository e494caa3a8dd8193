import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorRecord } from '../../core/errors.ts';
import { agent, BridgeWorld, foreignTask, ownTask } from './service.suite.ts';

let world: BridgeWorld;
beforeEach(async () => {
  world = await BridgeWorld.open();
});
afterEach(() => world.close());

const failure = (code: 'GLZ2001' | 'GLZ2004' | 'GLZ2010', retry_after_ms?: number) => {
  const asked = retry_after_ms === undefined ? {} : { retry_after_ms };
  return { word: 'failed', error: errorRecord(code, 'in a bad mood', asked) } as const;
};

describe('a task of another executor', () => {
  it('gets its result in the words that everybody reads', async () => {
    const writer = agent('Writer');
    const known: unknown[] = [];
    writer.reply = ({ correlation_id }) => {
      known.push(correlation_id);
      return { word: 'done', result: '{"text":"ho"}' };
    };
    await world.bridge([writer]);
    await world.send(foreignTask('Writer', { task_id: 't1', correlation_id: 'c1', priority: 'whatever' }));
    await world.results.until(({ length }) => length === 1);
    const [result] = world.results.items;
    expect(result).toEqual({
      ...{ run_id: 'their-run', task_id: 't1', status: 'SUCCESS', correlation_id: 'c1', error_message: null },
      ...{ output_data: { text: 'ho' }, timestamp: expect.stringMatching(/Z$/) },
    });
    expect(writer.calls[0]).toMatchObject({
      ...{
        call_id: 't1',
        method: 'send',
        params: { text: 'hi' },
        workflow_id: 'their-run',
      },
    });
    expect(known).toEqual(['c1']);
    await world.done();
    expect(world.news.items).toEqual([]);
  });

  it('is tried again as its agent says, and after as long as the agent asks for', async () => {
    const writer = agent('Writer');
    const answers = [failure('GLZ2001'), failure('GLZ2004', 5), { word: 'done', result: '{"n":3}' } as const];
    writer.reply = ({ attempt }) => answers[attempt - 1] ?? failure('GLZ2001');
    await world.bridge([writer]);
    await world.send(foreignTask('Writer'));
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({ status: 'SUCCESS', output_data: { n: 3 } });
    expect(writer.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(world.observed).toEqual(['received foreign', 'retried Writer', 'retried Writer']);
  });

  it('fails with the last error when its tries are used up, and at once where that would not help', async () => {
    const [tired, strict] = [agent('Tired'), agent('Strict')];
    tired.reply = () => failure('GLZ2001');
    strict.reply = () => failure('GLZ2010');
    await world.bridge([tired, strict]);
    await world.send(foreignTask('Tired'), foreignTask('Strict'));
    await world.results.until(({ length }) => length === 2);
    for (const result of world.results.items)
      expect(result).toMatchObject({ status: 'FAILURE', output_data: null, error_message: 'in a bad mood' });
    expect([tired.calls.length, strict.calls.length]).toEqual([4, 1]);
  });

  it('that is put off goes on from what it kept', async () => {
    const writer = agent('Writer');
    writer.reply = async ({ kept, keep }) => {
      if (kept !== undefined) return { word: 'done', result: JSON.stringify({ kept }) };
      await keep?.({ job: 9 });
      return { word: 'again', after_ms: 1, reason: 'it works on it' };
    };
    await world.bridge([writer]);
    await world.send(foreignTask('Writer'));
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({ output_data: { kept: { job: 9 } } });
    expect(world.kept.items).toEqual([]);
  });

  it('for an agent that does not work does not stand in the way of others', async () => {
    const [broken, well] = [agent('Broken'), agent('Well')];
    broken.reply = () => failure('GLZ2001');
    well.reply = () => ({ word: 'done', result: '{}' });
    await world.bridge([broken, well], { options: { most_messages: 4 } });
    const tasks = Array.from({ length: 40 }, () => foreignTask('Broken'));
    await world.send(...tasks, foreignTask('Well'));
    await world.results.until(({ length }) => length === 41);
    const outcomes = world.results.items.map(({ status }) => status);
    expect(outcomes.filter((status) => status === 'SUCCESS')).toHaveLength(1);
    // After its breaker opened it was left in peace: nobody asked it four times for each of them.
    expect(broken.calls.length).toBeLessThan(100);
    expect(
      world.results.items.some(({ error_message }) => String(error_message).includes('left in peace')),
    ).toBe(true);
  });

  it('for nobody fails and says so', async () => {
    await world.bridge([]);
    await world.send(foreignTask('Nobody'));
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({
      ...{ status: 'FAILURE', error_message: expect.stringContaining('"Nobody"') },
    });
  });
});

describe('what cannot be read', () => {
  it('goes to the dead letters with the reason, and the partition goes on', async () => {
    const writer = agent('Writer');
    writer.reply = () => ({ word: 'done', result: '{}' });
    await world.bridge([writer]);
    const key = 'their-run';
    const broken = [
      { key, value: '{"run_id":' },
      { key, value: Buffer.from([0xff, 0xfe]) },
      { key, value: '{"run_id":"r","task_id":"t","agent_name":7,"input_data":{},"correlation_id":"c"}' },
      { key, value: 'null' },
    ];
    await world.send(...broken, foreignTask('Writer'));
    await world.results.until(({ length }) => length === 1);
    await world.letters.until(({ length }) => length === 4);
    expect(world.letters.items.map(({ error_code }) => error_code)).toEqual([
      'GLZ4005',
      'GLZ4005',
      'GLZ4006',
      'GLZ4006',
    ]);
    expect(world.letters.items[2]).toMatchObject({
      ...{ topic: 'orchestrator.tasks.http', key, reason: expect.stringContaining('/agent_name') },
    });
    await world.done();
    expect(writer.calls).toHaveLength(1);
  });

  it('goes there too where its key is nearly as large as a message may be', async () => {
    await world.bridge([]);
    const key = 'k'.repeat(900_000);
    await world.send({ key, value: 'no task' }, { key: 'k', value: 'nor this' });
    await world.letters.until(({ length }) => length === 2);
    const cut = world.letters.items.find(({ key_cut_from }) => key_cut_from !== undefined);
    expect(cut).toMatchObject({ key_cut_from: key.length, value: 'no task', error_code: 'GLZ4005' });
    await world.done();
  });

  it('is a task of ours that is not whole, too', async () => {
    await world.bridge([]);
    const { message } = ownTask();
    const task = JSON.parse(String(message.value));
    await world.send({ key: message.key, value: JSON.stringify({ ...task, timeout_ms: 'long' }) });
    await world.letters.until(({ length }) => length === 1);
    await world.done();
    expect(world.results.items).toEqual([]);
  });
});
