import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';
import { done, failure, settled, submitted, workflow } from './testing/builders.suite.ts';
import { Memory } from './testing/memory.suite.ts';

describe('fold', () => {
  it('gives what the rows say after every commit', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: ['a'], c: ['b'] })));
    expect(memory.disagreements()).toEqual([]);
    const [a] = memory.claim('e');
    memory.write(settled(a as never, failure()));
    expect(memory.disagreements()).toEqual([]);
    memory.now += 1000;
    memory.write({ kind: 'wake_due', limit: 10 });
    expect(memory.disagreements()).toEqual([]);
    const [again] = memory.claim('e');
    memory.write(settled(again as never, done));
    expect(memory.disagreements()).toEqual([]);
    expect(fold(memory.log.get('w') ?? []).tasks.get('w.b')?.status).toBe('queued');
  });
});
