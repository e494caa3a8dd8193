import { GleitzeitError } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';

export function putAgent(ledger: Ledger, { agent, expect }: WriteOf<'put_agent'>): AnswerTo<'put_agent'> {
  const before = ledger.agent(agent.name);
  requireVersion(agent.name, before?.version ?? 0, expect);
  const told = {
    id: before?.id ?? agent.id,
    version: (before?.version ?? 0) + 1,
    created_at: before?.created_at ?? ledger.now,
    updated_at: ledger.now,
  };
  ledger.putAgent(agent.name, { ...agent, ...told });
  return told;
}

export function deleteAgent(
  ledger: Ledger,
  { name, expect }: WriteOf<'delete_agent'>,
): AnswerTo<'delete_agent'> {
  const version = ledger.agent(name)?.version ?? 0;
  requireVersion(name, version, expect);
  if (version > 0) ledger.putAgent(name, null);
  return { deleted: version > 0 };
}

function requireVersion(name: string, version: number, expect: number | null): void {
  if (expect === null || expect === version) return;
  throw new GleitzeitError('GLZ1013', `the agent ${name} is at version ${version}, not ${expect}`, {
    field: 'version',
    reason: 'someone else changed it in the meantime',
    hint: 'read it again and repeat the change',
  });
}
