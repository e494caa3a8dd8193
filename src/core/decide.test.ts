import { describe, expect, it } from 'vitest';
import { decide, decideAll } from './decide.ts';
import { Ledger } from './ledger.ts';
import { lone, submitted } from './testing/builders.suite.ts';
import { hash, Memory } from './testing/memory.suite.ts';

const context = { now: 5, hash, exclusive: false };

describe('decide', () => {
  it('turns a refusal into a verdict', () => {
    const ledger = new Ledger(new Memory(), context);
    expect(decide(ledger, { kind: 'retry_task', task_id: 't' })).toMatchObject({
      ok: false,
      error: { code: 1010, data: { error_code: 'GLZ1010' } },
    });
  });

  it('lets trouble that is no refusal pass', () => {
    const memory = new Memory();
    memory.task = () => {
      throw new TypeError('the disk is on fire');
    };
    const ledger = new Ledger(memory, context);
    expect(() => decide(ledger, { kind: 'retry_task', task_id: 't' })).toThrow(TypeError);
  });
});

describe('decideAll', () => {
  it('gives each write its verdict, and a refused one does not harm its neighbours', () => {
    const { verdicts, changes } = decideAll(new Memory(), context, [
      submitted(lone('a')),
      { kind: 'cancel_task', task_id: 'none', reason: null },
      { kind: 'cancel_task', task_id: 'a', reason: null },
    ]);
    expect(verdicts.map((verdict) => verdict.ok)).toEqual([true, false, true]);
    expect(changes.newTasks[0]?.row).toMatchObject({ status: 'cancelled', seq: 2 });
    expect(changes.tasks).toEqual([]);
  });

  it('puts announcements on the feed of no run', () => {
    const happening = {
      event: 'provider:connected',
      data: { provider: 'p', protocol: 'echo/v1' },
    } as const;
    const { verdicts, changes } = decideAll(new Memory(), context, [
      { kind: 'announce', happening },
      { kind: 'announce', happening },
    ]);
    expect(verdicts[0]).toEqual({ ok: true, answer: {} });
    expect(changes.happenings).toEqual([
      { run_key: null, workflow_id: null, first_seq: 0, events: [happening, happening] },
    ]);
    expect([changes.tasks, changes.runs]).toEqual([[], []]);
  });

  it('changes nothing when there is nothing to decide', () => {
    expect(decideAll(new Memory(), context, [])).toEqual({
      verdicts: [],
      changes: {
        newTasks: [],
        newRuns: [],
        tasks: [],
        runs: [],
        results: [],
        keys: [],
        engines: [],
        goneEngines: [],
        documents: [],
        goneDocuments: [],
        agents: [],
        goneAgents: [],
        pruned: [],
        happenings: [],
        settled: [],
        settledRuns: [],
        revoked: [],
      },
    });
  });
});
