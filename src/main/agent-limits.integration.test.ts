import { describe, expect, it } from 'vitest';
import type { Config } from '../config.ts';
import type { AgentEntry } from '../core/agent.ts';
import { partsOf, sealedEntry } from './agents.suite.ts';
import { AgentConnections, agentSettings } from './agents.ts';

function entry(given: object): AgentEntry {
  return sealedEntry({ url: 'http://127.0.0.1:9', ...given });
}

describe('agents in their pools', () => {
  it('have the limits of their agent together, which may change while it stays connected', async () => {
    const given = { implements: ['a/v1'], weight: 2, tier: 1, zone: 'eu', models: ['small'] };
    let list = [entry({ ...given, limits: { concurrency: 2, rate: '10/s', burst: 4 } })];
    const { parts, pools } = await partsOf(() => list);
    const connections = new AgentConnections(parts);
    connections.follow();
    const ids = ['agent:Echo', 'agent:Echo@a/v1'];
    const before = ids.map((id) => pools.status(id));
    expect(before).toMatchObject(
      ids.map((id) => ({
        ...{ id, weight: 2, tier: 1, zone: 'eu', models: ['small'] },
        concurrency: { most: 2, left: 2 },
        rate: { per_second: 10, burst: 4, left: 4 },
      })),
    );
    const of = { method: 'send', params: {}, task_id: 't', workflow_id: null, avoid: [], called: false };
    const routed = pools.route({ ...of, protocol: 'agent/v1' });
    expect(ids.map((id) => pools.status(id))).toMatchObject(
      ids.map(() => ({ concurrency: { most: 2, left: 1 }, rate: { left: 3 } })),
    );
    list = [entry({ ...given, limits: { concurrency: 3 } })];
    connections.follow();
    const after = ids.map((id) => pools.status(id));
    expect(after).toMatchObject(ids.map(() => ({ concurrency: { most: 3, left: 2 }, rate: null })));
    expect(after.map((status) => status?.since)).toEqual(before.map((status) => status?.since));
    list = [entry({ ...given, timeout: 5, limits: { concurrency: 5 } })];
    connections.follow();
    expect(pools.status('agent:Echo@a/v1')?.concurrency).toEqual({ most: 5, left: 5 });
    if (routed.word === 'go') routed.passage.leave();
    expect(pools.status('agent:Echo')?.concurrency).toEqual({ most: 5, left: 5 });
    await pools.stop(0);
  });

  it('leave through a broker as many as they are given, or as its window holds', async () => {
    const { parts } = await partsOf(() => []);
    const config = { ...parts.config(), dispatch: { ...parts.config().dispatch, type: 'kafka', window: 7 } };
    const most = (given: object) => agentSettings(config as Config, entry(given)).limits.concurrency;
    expect([most({}), most({ limits: { concurrency: 3 } })]).toEqual([7, 3]);
  });
});
