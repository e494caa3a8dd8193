import { GleitzeitError } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { AcceptedRun, NewRun } from '../writes.ts';

/** A key or id that tells the same submission from another one. */
type Name = { readonly field: 'idempotency_key' | 'workflow_id'; readonly label: string };

export function namesOf({ idempotency_key, workflow }: NewRun): Name[] {
  return [
    ...(idempotency_key === null ? [] : [nameOf('idempotency_key', idempotency_key)]),
    ...(workflow === null ? [] : [nameOf('workflow_id', workflow.workflow_id)]),
  ];
}

function nameOf(field: Name['field'], value: string): Name {
  return { field, label: `${field} "${value}"` };
}

/** The answer an earlier, equal submission got; another body under the same key or id is refused. */
export function findEarlier(ledger: Ledger, run: NewRun): AcceptedRun | null {
  if (run.body_hash === '' && run.idempotency_key === null) return null;
  if (run.idempotency_key !== null) {
    const used = ledger.key(run.idempotency_key);
    if (used !== null) {
      requireSameBody(run, used.body_hash, nameOf('idempotency_key', used.key));
      return answerAgain(ledger, run, used.run_key);
    }
  }
  if (run.workflow === null) return null;
  const { workflow_id } = run.workflow;
  const earlier = ledger.run(workflow_id);
  if (earlier === null) return requireFreeName(ledger, workflow_id);
  requireSameBody(run, earlier.body_hash, nameOf('workflow_id', workflow_id));
  return answerAgain(ledger, run, workflow_id);
}

/** Events, payloads and keys are kept under one name for a run and for a task that stands by itself. */
function requireFreeName(ledger: Ledger, workflow_id: string): null {
  if (ledger.task(workflow_id)?.workflow_id !== null) return null;
  throw new GleitzeitError('GLZ1009', `workflow_id "${workflow_id}" is the id of a task`, {
    field: 'workflow_id',
    hint: 'use another one, or leave it out to have one made',
  });
}

/** The same key or id twice in one write must mean the same run as well. */
export function requireAgreement(runs: readonly NewRun[]): void {
  const bodies = new Map<string, string>();
  for (const run of runs) {
    for (const name of namesOf(run)) {
      requireSameBody(run, bodies.get(name.label) ?? run.body_hash, name);
      bodies.set(name.label, run.body_hash);
    }
  }
}

function requireSameBody(run: NewRun, body_hash: string, { field, label }: Name): void {
  if (run.body_hash === body_hash) return;
  throw new GleitzeitError('GLZ1009', `${label} was used before with another body`, {
    field,
    reason: 'the same key or id must come with the same body',
    hint: 'send the original body again to get its answer, or use a new key',
  });
}

function answerAgain(ledger: Ledger, run: NewRun, run_key: string): AcceptedRun {
  if (!wasRun(ledger, run, run_key)) {
    const status = ledger.task(run_key)?.status ?? 'completed';
    return { workflow_id: null, tasks: [[run_key, run_key]], status, created: false };
  }
  const { status } = ledger.runOf(run_key);
  return { workflow_id: run_key, tasks: Object.entries(ledger.taskIds(run_key)), status, created: false };
}

/** Most of what comes again is of the same kind as before; a body that was named by a mark may be a task now and a run then. */
function wasRun(ledger: Ledger, { workflow }: NewRun, run_key: string): boolean {
  if (workflow === null) return ledger.task(run_key) === null && ledger.run(run_key) !== null;
  return ledger.run(run_key) !== null || ledger.task(run_key) === null;
}
