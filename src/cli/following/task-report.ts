import type { Client } from '../../sdk/index.ts';
import type { ExitName } from '../exits.ts';
import { exitOfStatus } from '../outcome.ts';
import { cleanText } from '../output/clean.ts';
import { yamlText } from '../output/formats.ts';
import type { Invocation } from '../spec.ts';

/** Prints how a task ended. */
export async function shownTask({ io }: Invocation, client: Client, task_id: string): Promise<ExitName> {
  const outcome = await client.call('task.result', { task_id });
  const text = 'result' in outcome ? cleanText(await yamlText(outcome.result)) : '';
  await io.emit(outcome, { table: () => text, names: [task_id] });
  return exitOfStatus(outcome.status);
}
