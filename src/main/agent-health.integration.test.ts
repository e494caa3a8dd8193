import { afterEach, describe, expect, it } from 'vitest';
import type { AgentEntry } from '../core/agent.ts';
import type { Happening } from '../core/events.ts';
import { type Seen, startService } from '../dialects/rest/peer.suite.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { keepingLogger } from '../engine/testing/world.suite.ts';
import { parseAgent } from '../registry/agent-definition.ts';
import { sealAgent } from '../registry/agent-record.ts';
import type { Agents } from '../registry/agents.ts';
import { createProtocols } from '../registry/protocols.ts';
import { Pools } from '../router/pools.ts';
import { createCipher } from '../store/cipher.ts';
import { pingAgent } from './agent-ping.ts';
import { AgentConnections } from './agents.ts';
import { channelFactories } from './channels.ts';
import { loadServerConfig } from './load.ts';

const cipher = createCipher(() => [Buffer.alloc(32, 1)]);
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function entry(given: object): AgentEntry {
  const settings = parseAgent({ name: 'Echo', ...given });
  const times = { created_at: 1, updated_at: 1 };
  return { ...sealAgent(cipher, settings, null), id: 'i', source: 'api', version: 1, ...times };
}

/** An agent that can be told to be ill, and the pools that it is a member of. */
async function setUp(given: (url: string) => object) {
  const agent = { status: 404 };
  const seen: Seen[] = [];
  const { url, stop } = await startService((request) => {
    seen.push(request);
    return { status: agent.status, json: {} };
  });
  ends.push(stop);
  const logger = keepingLogger([]);
  const config = await loadServerConfig({ file: null, text: '', env: {}, cwd: '/', database_url: false });
  const announced: Happening['event'][] = [];
  const announce = ({ event }: Happening) => announced.push(event);
  const pools = new Pools({ clock: systemClock, timers: systemTimers, logger, announce });
  ends.push(() => pools.stop());
  const channels = channelFactories({ logger, folder: '/', environment: {} });
  let list = [entry(given(url))];
  const agents = { list: () => list } as unknown as Agents;
  const parts = {
    pools,
    channels,
    protocols: createProtocols(),
    config: () => config,
    logger,
    agents,
    cipher,
  };
  const connections = new AgentConnections(parts);
  connections.follow();
  const change = (next: (url: string) => object) => {
    list = [entry(next(url))];
    connections.follow();
  };
  return { agent, seen, announced, pools, change, entry: entry(given(url)) };
}

describe('an agent of the registry', () => {
  it.each([
    ['simple-a2a', 'GET /agent'],
    ['jsonrpc-2.0', 'card'],
    ['auto', 'card'],
  ])('is tested without being given a task: %s', async (protocol, asked) => {
    const auth_config = { type: 'bearer', token: 'a-secret' };
    const { pools, seen } = await setUp((url) => ({ url: `${url}/agent`, protocol, auth_config }));
    expect(await pools.test('agent:Echo')).toMatchObject({ well: true, asked });
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(seen[0]?.headers.authorization).toBe('Bearer a-secret');
  });

  it.each([
    [404, true],
    [501, true],
    [500, false],
  ])('is there or not by the same statuses when it is pinged: %i', async (status, well) => {
    const { agent, entry: found } = await setUp((url) => ({ url }));
    agent.status = status;
    const asked = { signal: AbortSignal.timeout(5000), logger: keepingLogger([]) };
    expect(await pingAgent(found, null, asked)).toMatchObject({ well, http_status: status });
  });

  it('is asked how it is as its entry says, and gets no calls while it is not well', async () => {
    const health_config = { every_seconds: 0.1 };
    const { agent, seen, announced, pools, change } = await setUp((url) => ({ url, health_config }));
    const state = () => pools.status('agent:Echo')?.state;
    await expect.poll(() => seen.length).toBeGreaterThan(1);
    expect(state()).toBe('connected');
    agent.status = 503;
    await expect.poll(state).toBe('unhealthy');
    agent.status = 404;
    await expect.poll(state).toBe('connected');
    expect(announced).toEqual(['provider:connected', 'provider:unhealthy', 'provider:healthy']);
    agent.status = 503;
    await expect.poll(state).toBe('unhealthy');
    change((url) => ({ url }));
    expect(state()).toBe('connected');
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});
