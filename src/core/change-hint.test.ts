import { describe, expect, it } from 'vitest';
import { hintOf, isNothing } from './change-hint.ts';
import type { Changes } from './changes.ts';
import { lone, submitted } from './testing/builders.suite.ts';
import { Memory } from './testing/memory.suite.ts';
import type { Write } from './writes.ts';

const silence = { ready: false, settled: false, revoked: false, documents: false, agents: false };

function changesOf(...writes: readonly Write[]): Changes {
  return new Memory().commit(...writes).changes;
}

const nobody = changesOf();

describe('a hint', () => {
  it('tells of work that others may take', () => {
    const changes = changesOf(submitted(lone('t1'), lone('t2')));
    const rows = changes.newTasks.map(({ row }) => ({ task: row }));
    expect(hintOf(changes, [])).toEqual({ ...silence, ready: true });
    expect(hintOf(changes, rows.slice(1))).toEqual({ ...silence, ready: true });
    expect(hintOf(changes, rows)).toEqual(silence);
  });

  it('tells of tasks that were put back into the queue', () => {
    const memory = new Memory();
    memory.commit(submitted(lone('t1')));
    const [held] = memory.claim('e0');
    const leases = [{ task_id: 't1', fence: held?.fence ?? 0 }];
    const { changes } = memory.commit({ kind: 'release', owner: 'e0', leases });
    expect(hintOf(changes, [])).toEqual({ ...silence, ready: true });
  });

  it('tells of what settled, of calls to end, of documents and of agents', () => {
    const memory = new Memory();
    memory.commit(submitted(lone('t1')));
    memory.claim('e0');
    const cancelled = memory.commit({ kind: 'cancel_task', task_id: 't1', reason: null }).changes;
    expect(hintOf(cancelled, [])).toEqual({ ...silence, settled: true, revoked: true });
    const put = { kind: 'put_document', collection: 'c', key: 'k', text: '', expect: null } as const;
    const gone = { kind: 'delete_document', collection: 'c', key: 'k', expect: null } as const;
    expect(hintOf(memory.commit(put).changes, [])).toEqual({ ...silence, documents: true });
    expect(hintOf(memory.commit(gone).changes, [])).toEqual({ ...silence, documents: true });
    const agent = { id: 'i', url: '', description: null, protocol: '', protocol_config: '', settings: '' };
    const add = { kind: 'put_agent', agent: { ...agent, name: 'n' }, expect: null } as const;
    expect(hintOf(memory.commit(add).changes, [])).toEqual({ ...silence, agents: true });
    const drop = { kind: 'delete_agent', name: 'n', expect: null } as const;
    expect(hintOf(memory.commit(drop).changes, [])).toEqual({ ...silence, agents: true });
    expect(hintOf({ ...nobody, settledRuns: [{ workflow_id: 'w', status: 'failed' }] }, [])).toEqual({
      ...silence,
      settled: true,
    });
  });

  it('may say nothing', () => {
    expect(isNothing(hintOf(nobody, []))).toBe(true);
    for (const word of ['ready', 'settled', 'revoked', 'documents', 'agents'])
      expect(isNothing({ ...silence, [word]: true })).toBe(false);
  });
});
