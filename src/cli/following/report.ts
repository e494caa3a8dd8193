import type { Json } from '../../core/json.ts';
import { CallError, type Client, type ResultOf } from '../../sdk/index.ts';
import type { Shown } from '../io.ts';
import { cleanText } from '../output/clean.ts';
import { yamlText } from '../output/formats.ts';
import type { Progress } from '../progress/model.ts';

type RunStatus = ResultOf<'workflow.results'>['status'];

/** How a run ended, as `run` and `watch` print it. */
export type RunReport = {
  readonly workflow_id: string;
  readonly name: string | null;
  readonly status: RunStatus;
  /** By short id; null where they are too large for one answer. */
  readonly results: Readonly<Record<string, Json>> | null;
  /** The tasks that did not complete. */
  readonly failed: readonly FailedTask[];
};

type FailedTask = {
  readonly id: string;
  readonly task_id: string;
  readonly status: string;
  readonly error: string | null;
};

export async function reportOf(client: Client, workflow_id: string, progress: Progress): Promise<RunReport> {
  const { status, results } = await resultsOf(client, workflow_id);
  const failed = progress.tasks
    .filter((task) => task.ended_at !== null && task.status !== 'completed')
    .map(({ id, task_id, status: ended, error, because }) => ({
      id,
      task_id,
      status: ended,
      error: error ?? (because === null ? null : `because of ${because}`),
    }));
  return { workflow_id, name: progress.name, status, results, failed };
}

/** More than one answer carries is read task by task by whoever wants it. */
async function resultsOf(
  client: Client,
  workflow_id: string,
): Promise<Pick<RunReport, 'status' | 'results'>> {
  try {
    const { status, results } = await client.call('workflow.results', { workflow_id });
    return { status, results: results as Record<string, Json> };
  } catch (thrown) {
    if (!(thrown instanceof CallError) || thrown.error_code !== 'GLZ1007') throw thrown;
    const { status } = await client.call('workflow.status', { workflow_id, limit: 1 });
    return { status, results: null };
  }
}

/** For people: what the tasks at the ends of the graph came to, since the others led there. */
export async function shownReport(report: RunReport, progress: Progress): Promise<Shown> {
  const used = new Set(progress.tasks.flatMap(({ dependencies }) => dependencies));
  const results = Object.entries(report.results ?? {});
  const last = results.filter(([id]) => !used.has(id));
  const shown = last.length > 0 ? last : results;
  const text = shown.length === 0 ? '' : cleanText(await yamlText(Object.fromEntries(shown)));
  return { table: () => text, names: [report.workflow_id] };
}
