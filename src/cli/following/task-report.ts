import type { ResultOf } from '../../sdk/index.ts';
import type { ExitName } from '../exits.ts';
import { exitOfStatus } from '../outcome.ts';
import { cleanText } from '../output/clean.ts';
import { yamlText } from '../output/formats.ts';
import type { Invocation } from '../spec.ts';

/** Prints how a task ended. */
export async function shownTask({ io }: Invocation, outcome: ResultOf<'task.result'>): Promise<ExitName> {
  const text = 'result' in outcome ? cleanText(await yamlText(outcome.result)) : '';
  await io.emit(outcome, { table: () => text, names: [outcome.task_id] });
  return exitOfStatus(outcome.status);
}
