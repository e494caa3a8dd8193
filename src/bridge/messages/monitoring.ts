import type { JsonObject } from '../../core/json.ts';
import type { Message } from '../broker.ts';
import { writeTime } from './time.ts';

/** What became of a step of a run, for anyone who looks on. */
export type MonitoringUpdate = {
  readonly run_id: string;
  readonly step_id: string;
  readonly step_name: string;
  readonly status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly at_ms: number;
  readonly metadata: JsonObject;
};

export function writeMonitoringUpdate({ at_ms, ...update }: MonitoringUpdate): Message {
  const { run_id, step_id, step_name, status, metadata } = update;
  const written = { run_id, step_id, step_name, status, timestamp: writeTime(at_ms), metadata };
  return { key: run_id, value: JSON.stringify(written) };
}
