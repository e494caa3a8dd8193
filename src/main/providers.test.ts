import { expect, it } from 'vitest';
import { diffConfigs } from '../config.ts';
import { nobodyCame } from '../core/ports/router.ts';
import { functionProvider } from '../dialects/function/provider.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { keepingLogger } from '../engine/testing/world.suite.ts';
import { createProtocols } from '../registry/protocols.ts';
import { Pools } from '../router/pools.ts';
import { channelFactories } from './channels.ts';
import { loadServerConfig } from './load.ts';
import { applyChange, connectProtocols, connectProviders } from './providers.ts';

const load = (text: string) => loadServerConfig({ file: null, text, env: {}, cwd: '/', database_url: false });

it('a protocol that is removed leaves no limits to those who serve it without the configuration', async () => {
  const before = await load('protocols: [{name: echo/v1, methods: {say: {}}, limits: {concurrency: 1}}]');
  const after = await load('');
  const logger = keepingLogger([]);
  const pools = new Pools({ clock: systemClock, timers: systemTimers, logger });
  pools.onRoom(async () => nobodyCame);
  let config = before;
  const parts = {
    ...{ pools, protocols: createProtocols(), logger, config: () => config },
    channels: channelFactories({ logger, folder: '/', environment: {}, allow: [] }),
    drains: { remove: async () => {} },
    registered: { reinstate: () => false },
  };
  connectProtocols(parts);
  connectProviders(parts);
  // Such as an agent that implements it.
  pools.connect(functionProvider({ id: 'own', protocol: 'echo/v1', methods: { say: async () => 1 } }));
  const request = {
    protocol: 'echo/v1',
    method: 'say',
    params: {},
    workflow_id: null,
    avoid: [],
    called: false,
  };
  const words = () => ['a', 'b'].map((task_id) => pools.route({ ...request, task_id }).word);
  expect(words()).toEqual(['go', 'wait']);
  config = after;
  applyChange(parts, diffConfigs(before, after));
  expect(words()).toEqual(['go', 'go']);
  await pools.stop();
});

it('a provider that is removed is not drained any more, should one of its name come back', async () => {
  const before = await load(`protocols: [{name: echo/v1, methods: {say: {}}, providers: [
    {id: gone, type: jsonrpc-http, config: {url: "http://127.0.0.1:9"}},
    {id: stays, type: jsonrpc-http, config: {url: "http://127.0.0.1:9"}}]}]`);
  const after = await load(`protocols: [{name: echo/v1, methods: {say: {}}, providers: [
    {id: stays, type: jsonrpc-http, config: {url: "http://127.0.0.1:9"}}]}]`);
  const logger = keepingLogger([]);
  const pools = new Pools({ clock: systemClock, timers: systemTimers, logger });
  const forgotten: string[] = [];
  let config = before;
  const parts = {
    ...{ pools, protocols: createProtocols(), logger, config: () => config },
    channels: channelFactories({ logger, folder: '/', environment: {}, allow: [] }),
    drains: { remove: async (ids: readonly string[]) => void forgotten.push(...ids) },
    registered: { reinstate: () => false },
  };
  connectProtocols(parts);
  connectProviders(parts);
  config = after;
  applyChange(parts, diffConfigs(before, after));
  expect(forgotten).toEqual(['gone']);
  expect(pools.status('stays')?.state).toBe('connected');
  await pools.stop();
});
