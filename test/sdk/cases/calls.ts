import { CallError, ConnectionError } from '../../../src/sdk/index.ts';
import { equal, ok, rejection } from '../check.ts';
import type { Case } from '../world.ts';

const step = { protocol: 'mixed/v1', method: 'step', params: { n: 1 } };
const echo = (text: string) => ({ protocol: 'echo/v1', method: 'say', params: { text } });

export const callCases: Readonly<Record<string, Case>> = {
  'a call gives its result': async (world) => {
    const client = await world.client();
    const info = await client.call('system.info');
    equal([info.name, info.caller], ['gleitzeit', { name: 'local', role: 'admin' }], 'system.info');
    const { task_id } = await client.call('task.submit', echo('hello'));
    const task = await client.call('task.status', { task_id });
    equal([task.task_id, task.params], [task_id, { text: 'hello' }], 'task.status');
    const raw = await client.request('task.status', { task_id });
    equal((raw as typeof task).task_id, task_id, 'the same as a request');
    await world.control.answer('hello');
    client.close();
  },

  'a thousand calls at once are all answered': async (world) => {
    const client = await world.client();
    const answers = await Promise.all(Array.from({ length: 1000 }, () => client.call('queue.list')));
    equal(answers.length, 1000, 'answers');
    client.close();
  },

  'an error is told in the words of the server': async (world) => {
    const client = await world.client();
    const missing = await rejection(client.call('task.status', { task_id: 'nobody' }));
    ok(missing instanceof CallError, 'it should be a CallError');
    equal([missing.method, missing.code, missing.error_code], ['task.status', 1010, 'GLZ1010'], 'not found');
    const wrong = await rejection(client.request('task.list', { limt: 3 }));
    ok(wrong instanceof CallError, 'it should be a CallError');
    equal([wrong.error_code, wrong.field], ['GLZ1012', 'limt'], 'a param that is misspelt');
    ok(/limit/.test(wrong.hint ?? ''), `the hint should name the nearest: ${wrong.hint}`);
    const unknown = await rejection(client.request('task.stauts', {}));
    ok(unknown instanceof CallError && unknown.error_code === 'GLZ4007', 'a method that is not there');
    client.close();
  },

  'a server that is not there is told soon': async (world) => {
    const client = world.connect({ url: world.nowhere });
    const began = Date.now();
    const read = client.call('system.info');
    const write = client.call('task.submit', echo('lost'));
    const wait = client.taskResult('nobody');
    const events = client.events().next();
    for (const error of await Promise.all([read, write, wait, events].map(rejection))) {
      ok(error instanceof ConnectionError, `it should be a ConnectionError: ${error.stack}`);
      ok(error.message.includes(world.nowhere), `it should name the address: ${error.message}`);
    }
    ok(Date.now() - began < 5000, `it took ${Date.now() - began} ms`);
    client.close();
  },

  'a call can be given up, by a signal and by its time': async (world) => {
    const client = await world.client();
    const { task_id } = await client.call('task.submit', echo('slow'));
    const stop = new AbortController();
    const reason = new Error('not wanted any more');
    const ended = client.call('task.result', { task_id, wait: 30_000 }, { signal: stop.signal });
    stop.abort(reason);
    equal((await rejection(ended)).message, reason.message, 'the reason of the signal');
    const before = await rejection(client.call('system.info', {}, { signal: stop.signal }));
    equal(before.message, reason.message, 'a signal that was aborted before');
    const late = await rejection(client.taskResult(task_id, { timeout_ms: 50 }));
    ok(late instanceof ConnectionError && late.trouble === 'timeout', `the time ran out: ${late.stack}`);
    await world.control.answer('slow');
    client.close();
  },

  'calls come through a network that cuts': async (world) => {
    const url = await world.control.proxy({ to: 'open', cuts: 30, bytes: 2500 });
    const client = world.connect({ url, reconnect: { first_ms: 5, longest_ms: 50 } });
    const texts = Array.from({ length: 60 }, (_, index) => `cut ${index}`);
    const submitted = await Promise.all(
      texts.map((text) => client.call('task.submit', { ...echo(text), idempotency_key: `${url} ${text}` })),
    );
    equal(new Set(submitted.map(({ task_id }) => task_id)).size, texts.length, 'tasks');
    await world.control.answer(texts);
    const results = await Promise.all(submitted.map(({ task_id }) => client.taskResult(task_id)));
    equal([...new Set(results.map(({ status }) => status))], ['completed'], 'results');
    const { items } = await client.call('task.list', { limit: 1000 });
    const tasks = submitted.map(({ task_id }) => task_id);
    equal(items.filter((task) => tasks.includes(task.task_id)).length, texts.length, 'tasks that are there');
    ok((await world.control.cutsSoFar(url)) > 5, 'there should have been cuts');
    client.close();
  },

  'whether a write was done is not guessed': async (world) => {
    const client = await world.client('open', { reconnect: { first_ms: 5 } });
    let unknown = 0;
    for (let round = 0; round < 20 && unknown === 0; round++) {
      const url = await world.control.proxy({ to: 'open', cuts: 1, bytes: 1 });
      const cut = world.connect({ url });
      const outcome = await cut.call('task.submit', step).catch((error: unknown) => error);
      cut.close();
      if (!(outcome instanceof ConnectionError)) continue;
      equal([outcome.outcome, outcome.trouble], ['unknown', 'cut'], 'a write that was cut');
      ok(/idempotency_key/.test(outcome.hint ?? ''), 'the hint should tell of idempotency keys');
      unknown++;
    }
    equal(unknown, 1, 'writes that were cut');
    client.close();
  },
};
