import { CallError } from '../../../src/sdk/index.ts';
import { equal, ok, rejection } from '../check.ts';
import type { Case } from '../world.ts';

const echo = (text: string) => ({ protocol: 'echo/v1', method: 'say', params: { text } });

export const waitCases: Readonly<Record<string, Case>> = {
  'a result comes when there is one': async (world) => {
    const client = await world.client();
    const { task_id } = await client.call('task.submit', echo('awaited'));
    let answered = false;
    const result = client.taskResult(task_id).then((settled) => {
      ok(answered, 'the wait should not end before the task');
      return settled;
    });
    await world.until('it is executed', async () => {
      const { status } = await client.call('task.status', { task_id });
      return status === 'executing';
    });
    answered = true;
    await world.control.answer('awaited');
    const { status, result: said } = await result;
    equal([status, said], ['completed', { text: 'awaited' }], 'the result');
    equal((await client.taskResult(task_id)).result, { text: 'awaited' }, 'what has settled long ago');
    client.close();
  },

  'a task that failed is a result with an error': async (world) => {
    const client = await world.client();
    const { task_id } = await client.call('task.submit', echo('fails'));
    const result = client.taskResult(task_id);
    await world.control.answer('fails', 'failed');
    const { status, error } = await result;
    equal([status, error?.message], ['failed', 'not today'], 'how it ended');
    const missing = await rejection(client.taskResult('nobody'));
    ok(missing instanceof CallError && missing.error_code === 'GLZ1010', 'a task that is not there');
    client.close();
  },

  'a run gives its results when it has settled': async (world) => {
    const client = await world.client();
    const tasks = [
      { id: 'one', ...echo('run one') },
      { id: 'two', ...echo('run two'), dependencies: ['one'] },
    ];
    const { workflow_id } = await client.call('workflow.submit', { workflow: { name: 'two', tasks } });
    const all = client.runResults(workflow_id);
    const some = client.runResults(workflow_id, { tasks: ['two'] });
    await world.control.answer('run one');
    await world.control.answer('run two');
    const { status, results } = await all;
    equal(status, 'completed', 'the run');
    equal(results, { one: { text: 'run one' }, two: { text: 'run two' } }, 'results');
    equal((await some).results, { two: { text: 'run two' } }, 'those that were asked for');
    client.close();
  },

  'hundreds can wait at once': async (world) => {
    const client = await world.client();
    const texts = Array.from({ length: 300 }, (_, index) => `crowd ${index}`);
    const { tasks } = await client.call('task.submit_many', { tasks: texts.map(echo) });
    const results = tasks.map(({ task_id }) => client.taskResult(task_id));
    const given = tasks.map(({ task_id }) => rejection(client.taskResult(task_id, { timeout_ms: 20 })));
    for (const error of await Promise.all(given)) equal(error['trouble'], 'timeout', 'those who gave up');
    equal((await client.call('task.list', { limit: 1 })).items.length, 1, 'others are answered meanwhile');
    await world.control.answer(texts);
    const said = (await Promise.all(results)).map(({ result }) => result);
    equal(
      said,
      texts.map((text) => ({ text })),
      'results',
    );
    client.close();
    await world.until('no subscription is left', async () => (await world.control.subscriptions()) === 0);
  },

  'a wait outlives cuts': async (world) => {
    const url = await world.control.proxy({ to: 'open' });
    const client = world.connect({ url, reconnect: { first_ms: 5 } });
    const { task_id } = await client.call('task.submit', echo('outlives'));
    const result = client.taskResult(task_id);
    for (let round = 0; round < 5; round++) {
      await world.until('it is connected', async () => (await world.control.webSockets()) > 0);
      await world.control.cutAll(url);
    }
    await world.control.answer('outlives');
    equal((await result).status, 'completed', 'the result');
    client.close();
  },
};
