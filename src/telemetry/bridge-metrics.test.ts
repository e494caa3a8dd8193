import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BridgeMetrics, type BridgeMetricsOptions } from './bridge-metrics.ts';

function setUp(given: Partial<BridgeMetricsOptions> = {}) {
  const metrics = new BridgeMetrics({
    clock: { wall: () => 0, monotonic: () => 0 },
    counts: () => ({ running: 2, waiting: 3, held: 5, held_bytes: 700 }),
    lag: async () => ({ messages: 9, partitions: [2, 7] }),
    group: 'http-bridge',
    reachable: () => true,
    providers: () => [],
    isProtocol: () => true,
    ...given,
  });
  const lines = async (name: string) =>
    (await metrics.text()).split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line));
  return { metrics, lines };
}

describe('metrics of a bridge', () => {
  it('tell what it does', async () => {
    const { metrics, lines } = setUp();
    const { observer } = metrics;
    observer.received('own');
    observer.deadLetter('GLZ4006');
    observer.retried('Writer');
    observer.dropped('expired');
    observer.answered('Writer', 'done', 20);
    expect(await lines('gleitzeit_bridge_messages_total')).toEqual([
      'gleitzeit_bridge_messages_total{kind="own"} 1',
    ]);
    expect(await lines('gleitzeit_bridge_dead_letters_total')).toEqual([
      'gleitzeit_bridge_dead_letters_total{error_code="GLZ4006"} 1',
    ]);
    expect(await lines('gleitzeit_bridge_retries_total')).toEqual([
      'gleitzeit_bridge_retries_total{agent_name="Writer"} 1',
    ]);
    expect(await lines('gleitzeit_bridge_dropped_total')).toEqual([
      'gleitzeit_bridge_dropped_total{reason="expired"} 1',
    ]);
    expect(await lines('gleitzeit_bridge_call_duration_seconds_sum')).toEqual([
      'gleitzeit_bridge_call_duration_seconds_sum{agent_name="Writer",outcome="done"} 0.02',
    ]);
  });

  it('tell how it is when somebody looks', async () => {
    const { lines } = setUp();
    expect(await lines('gleitzeit_bridge_calls_in_flight')).toEqual(['gleitzeit_bridge_calls_in_flight 2']);
    expect(await lines('gleitzeit_bridge_calls_waiting')).toEqual(['gleitzeit_bridge_calls_waiting 3']);
    expect(await lines('gleitzeit_bridge_held_bytes')).toEqual(['gleitzeit_bridge_held_bytes 700']);
    expect(await lines('gleitzeit_bridge_lag')).toEqual(['gleitzeit_bridge_lag{group="http-bridge"} 9']);
    expect(await lines('gleitzeit_bridge_partition_lag')).toEqual([
      'gleitzeit_bridge_partition_lag{group="http-bridge",partition="0"} 2',
      'gleitzeit_bridge_partition_lag{group="http-bridge",partition="1"} 7',
    ]);
    expect(await lines('gleitzeit_bridge_broker_up')).toEqual(['gleitzeit_bridge_broker_up 1']);
  });

  it('leave out what the broker does not tell', async () => {
    const away = { lag: () => Promise.reject(new Error('away')), reachable: () => false };
    const { lines } = setUp({ ...away, counts: () => null });
    expect(await lines('gleitzeit_bridge_lag')).toEqual([]);
    expect(await lines('gleitzeit_bridge_broker_up')).toEqual(['gleitzeit_bridge_broker_up 0']);
    expect(await lines('gleitzeit_bridge_held_messages')).toEqual(['gleitzeit_bridge_held_messages 0']);
  });

  it('stand in the reference, all of them and no other', () => {
    const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(gleitzeit_bridge_\w+)` \| (\w+) \| ([^|]*) \| ([^|]+) \|$/gm)];
    const told = rows.map(([, name, type, labels]) => ({
      ...{ name, type, labels: [...String(labels).matchAll(/`(\w+)`/g)].map(([, label]) => label) },
    }));
    const ours = setUp()
      .metrics.list()
      .filter(({ name }) => name.startsWith('gleitzeit_bridge_'));
    expect(told).toEqual(ours);
  });
});
