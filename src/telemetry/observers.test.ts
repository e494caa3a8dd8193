import { describe, expect, it } from 'vitest';
import { noObserver, type Observer } from '../core/ports/observer.ts';
import { defaultRetry } from '../core/retry.ts';
import { allObservers } from './observers.ts';

const callers = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('several observers', () => {
  it('all hear everything; the trace context is that of the one that has one', () => {
    const heard: string[] = [];
    const listening = (name: string, traceparent: string | null): Observer => ({
      submitted: () => heard.push(`${name} submitted`),
      attemptStarted: () => {
        heard.push(`${name} started`);
        return {
          traceparent,
          ended: (answer, ms) => heard.push(`${name} ended ${answer?.word} ${ms}`),
          left: () => heard.push(`${name} left`),
        };
      },
      arrived: ({ attempt }, answer, ms) => heard.push(`${name} arrived ${attempt} ${answer.word} ${ms}`),
      committed: ({ writes }) => heard.push(`${name} committed ${writes}`),
      commitFailed: (code) => heard.push(`${name} failed ${code}`),
      settled: ({ status }) => heard.push(`${name} settled ${status}`),
      leaseLost: () => heard.push(`${name} lost`),
    });
    const all = allObservers([listening('a', null), listening('b', callers)]);
    all.submitted([]);
    const span = all.attemptStarted({
      task: { task_id: 't', id: 't', workflow_id: null, priority: 'low', created_at: 0 },
      spec: {
        name: '',
        protocol: 'p',
        method: 'm',
        dependencies: [],
        retry_config: defaultRetry,
        timeout: 1,
      },
      attempt: 1,
      provider: null,
    });
    span.ended({ word: 'done', result: '1' }, 7);
    span.left();
    const arrived = { task_id: 't', generation: 0, attempt: 3, protocol: 'p', provider: null };
    all.arrived(arrived, { word: 'done', result: '1' }, 8);
    all.committed({ writes: 1, claimed: 0, ms: 1 });
    all.commitFailed('GLZ3001');
    all.settled({ task_id: 't', workflow_id: null, status: 'completed' });
    all.leaseLost();
    expect(span.traceparent).toBe(callers);
    const words = [
      'submitted',
      'started',
      'ended done 7',
      'left',
      'arrived 3 done 8',
      'committed 1',
      'failed GLZ3001',
      'settled completed',
      'lost',
    ];
    expect(heard).toEqual(words.flatMap((word) => [`a ${word}`, `b ${word}`]));
  });

  it('are no one where there is none, and the one where there is one', () => {
    expect(allObservers([])).toBe(noObserver);
    const one = { ...noObserver };
    expect(allObservers([one])).toBe(one);
  });
});
