import type { ExitName } from './exits.ts';

const byStatus: Readonly<Record<string, ExitName>> = {
  failed: 'run_failed',
  skipped: 'run_failed',
  cancelled: 'run_cancelled',
  input_required: 'run_waiting',
};

/** How a command that waited for a run or a task ends. */
export function exitOfStatus(status: string): ExitName {
  return byStatus[status] ?? 'ok';
}
