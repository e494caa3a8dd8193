import { planOf } from '../plan/model.ts';
import { planText } from '../plan/text.ts';
import { readInput } from '../read-input.ts';
import type { Invocation } from '../spec.ts';
import { problemsText } from '../views/problems.ts';
import { readWorkflowAt, refuseBroken, strictProtocols, surroundingsOf } from '../workflow-file.ts';

/** What would run, in which order, and what is still missing for it. Runs nothing. */
export async function plan(call: Invocation): Promise<void> {
  const [named = ''] = call.arguments;
  const input = await readInput(call);
  const around = await surroundingsOf(call, named);
  refuseBroken(around);
  const { providersOf, from } = around;
  const { workflow, notes } = await readWorkflowAt(call, named, await strictProtocols(around));
  const planned = planOf(workflow, { input, providersOf });
  if (notes.length > 0) call.io.stderr.write(problemsText(notes, call.io.stderr));
  const names = planned.tasks.map(({ id }) => id);
  await call.io.emit(planned, { table: (view) => planText(planned, view, from), names });
}
