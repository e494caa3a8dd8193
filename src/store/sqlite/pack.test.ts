import { describe, expect, it } from 'vitest';
import type { CommitRequest } from '../../core/ports/store.ts';
import type { Lease, Write } from '../../core/writes.ts';
import { final, graph, lone } from '../suite/build.suite.ts';
import { packRequest, unpackRequest } from './pack.ts';

const lease: Lease = { task_id: 't1', owner: 'e1', fence: 3 };
const start = { attempt: 1, provider: 'p1', ago_ms: 0.25 };

const writes: Write[] = [
  { kind: 'submit', runs: [lone('t1'), lone('t2', { priority: 'low', total_timeout: 1.5 })] },
  {
    kind: 'submit',
    runs: [graph('w1', { a: {}, b: { after: ['a'], reads: ['a'], retry: { max_attempts: 9 } } })],
  },
  { kind: 'settle', ...lease, start, answer: { word: 'done', result: '{"a":1}' }, chance: 0.5 },
  { kind: 'settle', ...lease, start: null, answer: { word: 'failed', error: final }, chance: 0.5 },
  { kind: 'settle', ...lease, start, answer: { word: 'again', after_ms: 5, reason: 'busy' }, chance: 0 },
  { kind: 'start', ...lease, start },
  { kind: 'put_document', collection: 'c', key: 'k', text: '', expect: null },
];

describe('a request on its way to the writer', () => {
  it('arrives as it was sent', () => {
    const request: CommitRequest = { writes, claim: { owner: 'e1', limit: 5, lanes: ['a', 'b'] } };
    expect(unpackRequest(structuredClone(packRequest(request)))).toEqual(request);
  });

  it('carries once what its tasks have in common', () => {
    const { retry_config } = lone('t').tasks[0]?.spec ?? {};
    const runs = Array.from({ length: 50 }, (_, index) => {
      const run = lone(`t${index}`);
      return { ...run, tasks: run.tasks.map((task) => ({ ...task, spec: { ...task.spec, retry_config } })) };
    });
    const request = { writes: [{ kind: 'submit', runs }], claim: null } as CommitRequest;
    expect(packRequest(request).shapes.length).toBe(1);
    expect(unpackRequest(packRequest(request))).toEqual(request);
  });
});
