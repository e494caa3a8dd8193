import { afterEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../core/ports/provider.ts';
import type { Engine } from '../../engine/engine.ts';
import { direct } from '../dialect.suite.ts';
import { createProvider } from '../registry.ts';
import { startEngine } from '../testing/engine.suite.ts';
import { realParts } from './channels.suite.ts';
import { startHttpPeer } from './peers.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started() {
  const running = await startEngine();
  ends.push(running.stop);
  return running;
}

async function openPeer(id = 'peer'): Promise<Provider> {
  const peer = await startHttpPeer();
  ends.push(peer.stop);
  const config = { url: peer.url };
  return createProvider({ id, protocol: 'act/v1', type: 'jsonrpc-http', config }, realParts);
}

const act = (params: object, more: object = {}) => ({ protocol: 'act/v1', method: 'act', params, ...more });

async function submit(engine: Engine, task: object): Promise<string> {
  const { tasks } = await engine.submit(task);
  return tasks[0]?.[1] ?? '';
}

async function idsSeenBy(provider: Provider): Promise<string[]> {
  const answer = await direct(provider, { do: 'seen' });
  if (answer.word !== 'done') throw new Error(JSON.stringify(answer));
  return (JSON.parse(answer.result) as { id: string }[]).map(({ id }) => id);
}

describe('an engine with JSON-RPC services', () => {
  it('calls under one id however often it tries; a retry that a person asks for is another call', async () => {
    const { engine, pools } = await started();
    const provider = await openPeer();
    pools.connect(provider);
    const retry_config = { max_attempts: 3, initial_delay: 0.001, jitter: 0 };
    const task_id = await submit(
      engine,
      act({ do: 'fail', how: 'passing', message: 'no' }, { retry_config }),
    );
    expect(await engine.result(task_id, 10_000)).toMatchObject({ status: 'failed' });
    expect(await idsSeenBy(provider)).toEqual([task_id, task_id, task_id]);
    await engine.retryTask(task_id);
    expect(await engine.result(task_id, 10_000)).toMatchObject({ status: 'failed' });
    expect(new Set(await idsSeenBy(provider))).toEqual(new Set([task_id, `${task_id}.1`]));
  });

  it('takes up what waited for a provider as soon as one is connected', async () => {
    const { engine, pools } = await started();
    pools.connect({ ...(await openPeer('other')), protocol: 'other/v1' });
    const task_id = await submit(engine, act({ do: 'echo', value: 'at last' }));
    expect(await engine.result(task_id, 50)).toMatchObject({ status: 'queued' });
    pools.connect(await openPeer());
    expect(await engine.result(task_id, 10_000)).toMatchObject({ status: 'completed', result: '"at last"' });
  });

  it('loses and repeats nothing while its providers are replaced under load', async () => {
    const { engine, pools } = await started();
    const one = await openPeer('one');
    const two = await openPeer('two');
    pools.connect(one);
    const once = { retry_config: { max_attempts: 1 } };
    const entries = Array.from({ length: 300 }, (_, value) => ({ task: act({ do: 'echo', value }, once) }));
    const accepted = await engine.submitMany(entries);
    pools.connect({ ...two, id: 'one' });
    pools.connect(await openPeer('three'));
    await pools.disconnect('one');
    for (const [index, { tasks }] of accepted.entries()) {
      const outcome = await engine.result(tasks[0]?.[1] ?? '', 10_000);
      expect(outcome).toMatchObject({ status: 'completed', result: String(index) });
    }
  });
});
