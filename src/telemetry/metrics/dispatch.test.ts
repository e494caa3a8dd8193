import { Registry } from '@prometheus-io/client';
import { describe, expect, it } from 'vitest';
import { type BrokerLook, dispatchMetrics } from './dispatch.ts';

function setUp(broker: BrokerLook | null = null) {
  const registry = new Registry();
  const clock = { now: 0, wall: () => 0, monotonic: () => clock.now };
  const events = dispatchMetrics({ registry, clock, broker: () => broker });
  const lines = async (name: string) =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));
  return { events, lines, clock };
}

describe('metrics of calls that leave through a broker', () => {
  it('count what leaves and what comes', async () => {
    const { events, lines } = setUp();
    events.published('search-1');
    events.waited();
    events.arrived('result');
    events.settled('recorded');
    events.settled('refused');
    events.deadLetter('results.topic', 'GLZ4005');
    events.monitored(3);
    expect(await lines('gleitzeit_dispatch_')).toEqual([
      'gleitzeit_dispatch_published_total{provider="search-1"} 1',
      'gleitzeit_dispatch_waits_total 1',
      'gleitzeit_dispatch_arrivals_total{kind="result"} 1',
      'gleitzeit_dispatch_results_total{outcome="recorded"} 1',
      'gleitzeit_dispatch_results_total{outcome="refused"} 1',
      'gleitzeit_dispatch_dead_letters_total{topic="results.topic",error_code="GLZ4005"} 1',
      'gleitzeit_dispatch_monitoring_updates_total 3',
      'gleitzeit_dispatch_broker_up 1',
    ]);
  });

  it('tell how far engines are behind, at most every two seconds, and nothing where the broker is silent', async () => {
    let [asked, silent] = [0, false];
    const { lines, clock } = setUp({
      up: false,
      lag: async () => {
        asked += 1;
        if (silent) throw new Error('away');
        return { 'results.topic': { messages: 7, partitions: [3, 4] } };
      },
    });
    const line = 'gleitzeit_dispatch_lag{topic="results.topic"} 7';
    expect(await lines('gleitzeit_dispatch_lag')).toEqual([line]);
    expect(await lines('gleitzeit_dispatch_partition_lag')).toEqual([
      'gleitzeit_dispatch_partition_lag{topic="results.topic",partition="0"} 3',
      'gleitzeit_dispatch_partition_lag{topic="results.topic",partition="1"} 4',
    ]);
    expect(await lines('gleitzeit_dispatch_broker_up')).toEqual(['gleitzeit_dispatch_broker_up 0']);
    expect(asked).toBe(1);
    [clock.now, silent] = [3000, true];
    expect(await lines('gleitzeit_dispatch_lag')).toEqual([]);
  });
});
