import { describe, expect, it } from 'vitest';
import type { Write } from '../../core/writes.ts';
import { agent, graph, lone } from '../suite/build.suite.ts';
import { isSatisfied, needsOf } from './needs.ts';
import { decideLoaded, LoadedRows } from './source.ts';

const context = { now: 1000, hash: (text: string) => text, exclusive: false };
const lease = { task_id: 't1', owner: 'e1', fence: 1 };

/** Every write that reads something, and where it is told to be missing. */
const cases: readonly [Write, string, string][] = [
  [{ kind: 'submit', runs: [lone('t1', {}, { idempotency_key: 'k1' })] }, 'keys', 'k1'],
  [{ kind: 'submit', runs: [graph('w1', { a: {} })] }, 'runs', 'w1'],
  [{ kind: 'start', ...lease, start: { attempt: 1, provider: null, ago_ms: 0 } }, 'tasks', 't1'],
  [
    { kind: 'settle', ...lease, start: null, answer: { word: 'done', result: '1' }, chance: 0 },
    'tasks',
    't1',
  ],
  [{ kind: 'release', owner: 'e1', leases: [{ task_id: 't1', fence: 1 }] }, 'tasks', 't1'],
  [{ kind: 'call_line', line: 'line rate k', places: 1, fair: false }, 'lines', 'line rate k'],
  [{ kind: 'cancel_task', task_id: 't1', reason: null }, 'tasks', 't1'],
  [{ kind: 'retry_task', task_id: 't1' }, 'tasks', 't1'],
  [{ kind: 'cancel_run', workflow_id: 'w1', reason: null }, 'runs', 'w1'],
  [{ kind: 'pause_run', workflow_id: 'w1' }, 'runs', 'w1'],
  [{ kind: 'resume_run', workflow_id: 'w1' }, 'runs', 'w1'],
  [{ kind: 'beat', owner: 'e1', ttl_ms: 1 }, 'engines', 'e1'],
  [{ kind: 'put_document', collection: 'c', key: 'k', text: '', expect: 0 }, 'documents', '["c","k"]'],
  [{ kind: 'put_agent', agent: agent('a'), expect: 0 }, 'agents', 'a'],
  [{ kind: 'delete_agent', name: 'a', expect: 0 }, 'agents', 'a'],
  [{ kind: 'delete_document', collection: 'c', key: 'k', expect: 0 }, 'documents', '["c","k"]'],
];

describe('rows that decisions need', () => {
  it.each(cases)('%j is asked for from the start', (write, kind, key) => {
    expect(needsOf([write])).toMatchObject({ [kind]: expect.toSatisfy((needs) => needs.has(key)) });
  });

  it.each(cases)('%j, not loaded, is never taken for absent', (write, kind, key) => {
    const answer = decideLoaded(new LoadedRows(), context, [write]);
    expect(answer).toMatchObject({ [kind]: expect.toSatisfy((missing) => missing.has(key)) });
  });

  it('are all told of at once, not only those of the first write', () => {
    const missing = decideLoaded(
      new LoadedRows(),
      context,
      ['t1', 't2', 't3'].map((task_id): Write => ({ kind: 'cancel_task', task_id, reason: null })),
    );
    expect(missing).toMatchObject({ tasks: new Set(['t1', 't2', 't3']) });
  });

  it.each<Write>([
    { kind: 'wake_due', limit: 5 },
    { kind: 'rescue', limit: 5 },
    { kind: 'prune', keep_ms: 1, limit: 5 },
    { kind: 'reconcile', owner: 'e1', held: [] },
    { kind: 'call_lines', places: 1, after: null, limit: 5 },
  ])('%j reads a list, which is a mistake of ours when it was not read', (write) => {
    expect(isSatisfied(needsOf([write]))).toBe(false);
    expect(() => decideLoaded(new LoadedRows(), context, [write])).toThrow('was not read');
  });

  it('that are known to be absent are absent', () => {
    const rows = new LoadedRows();
    rows.tasks.set('t1', null);
    const decided = decideLoaded(rows, context, [{ kind: 'cancel_task', task_id: 't1', reason: null }]);
    expect(decided).toMatchObject({ verdicts: [{ ok: false, error: { data: { error_code: 'GLZ1010' } } }] });
  });
});
