import { Registry } from '@prometheus-io/client';
import { describe, expect, it } from 'vitest';
import { agentMetrics } from './agents.ts';

function setUp() {
  const registry = new Registry();
  const metrics = agentMetrics(registry);
  const lines = async (name: string) => {
    const text = await registry.metrics();
    return text.split('\n').filter((line) => line.startsWith(`${name}{`));
  };
  return { metrics, lines };
}

describe('metrics of agents', () => {
  it('tell who is called and what that takes', async () => {
    const { metrics, lines } = setUp();
    metrics.requested('jsonrpc-2.0', 'Writer');
    metrics.requested('jsonrpc-2.0', 'Writer');
    metrics.translated('jsonrpc-2.0', 'request', 0.02);
    metrics.failed('jsonrpc-2.0', 'response', 'envelope');
    expect(await lines('agent_protocol_requests_total')).toEqual([
      'agent_protocol_requests_total{protocol="jsonrpc-2.0",agent_name="Writer"} 2',
    ]);
    expect(await lines('protocol_translation_duration_seconds_sum')).toEqual([
      'protocol_translation_duration_seconds_sum{protocol="jsonrpc-2.0",direction="request"} 0.00002',
    ]);
    expect(await lines('protocol_translation_errors_total')).toEqual([
      'protocol_translation_errors_total{protocol="jsonrpc-2.0",direction="response",error_type="envelope"} 1',
    ]);
  });

  it('have no more series than labels may have values, however many agents there are', async () => {
    const { metrics, lines } = setUp();
    for (let n = 0; n < 500; n++) metrics.requested('simple-a2a', `agent-${n}`);
    expect(await lines('agent_protocol_requests_total')).toHaveLength(101);
  });
});
