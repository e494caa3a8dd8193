import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import { boundedLabel } from './labels.ts';

/** Translating takes microseconds; what takes milliseconds is worth a look. */
const TRANSLATION_SECONDS = [
  0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05,
];

export type AgentMetrics = {
  requested(protocol: string, agent_name: string): void;
  translated(protocol: string, direction: string, ms: number): void;
  failed(protocol: string, direction: string, trouble: string): void;
};

/** Calls of agents and what it takes to speak with them. These names are older than ours, and dashboards know them. */
export function agentMetrics(registry: Registry): AgentMetrics {
  const registers = [registry];
  const agentLabel = boundedLabel();
  const requests = new Counter({
    name: 'agent_protocol_requests_total',
    help: 'Total agent requests by protocol.',
    labelNames: ['protocol', 'agent_name'],
    registers,
  });
  const durations = new Histogram({
    name: 'protocol_translation_duration_seconds',
    help: 'Time spent translating protocols.',
    labelNames: ['protocol', 'direction'],
    buckets: TRANSLATION_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: 'protocol_translation_errors_total',
    help: 'Protocol translation errors.',
    labelNames: ['protocol', 'direction', 'error_type'],
    registers,
  });
  return {
    requested: (protocol, agent_name) => requests.inc({ protocol, agent_name: agentLabel(agent_name) }),
    translated: (protocol, direction, ms) => durations.observe({ protocol, direction }, ms / 1000),
    failed: (protocol, direction, error_type) => errors.inc({ protocol, direction, error_type }),
  };
}
