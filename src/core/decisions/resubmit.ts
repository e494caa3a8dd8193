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
      return answerAgain(ledger, used.run_key);
    }
  }
  const earlier = run.workflow === null ? null : ledger.run(run.workflow.workflow_id);
  if (earlier === null) return null;
  requireSameBody(run, earlier.body_hash, nameOf('workflow_id', earlier.workflow_id));
  return answerAgain(ledger, earlier.workflow_id);
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

function answerAgain(ledger: Ledger, run_key: string): AcceptedRun {
  const run = ledger.run(run_key);
  if (run !== null) {
    return {
      workflow_id: run_key,
      tasks: Object.entries(ledger.taskIds(run_key)),
      status: run.status,
      created: false,
    };
  }
  const status = ledger.task(run_key)?.status ?? 'completed';
  return { workflow_id: null, tasks: [[run_key, run_key]], status, created: false };
}
