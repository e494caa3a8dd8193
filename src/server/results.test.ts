import { describe, expect, it } from 'vitest';
import type { ResultRow, TaskRow } from '../core/records.ts';
import { resultAnswer, runAnswer } from './results.ts';

/** A run whose tasks all have results of the same length. */
function readsOf(count: number, length: number) {
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const stored = (id: string) =>
    ({ task_id: id, result: JSON.stringify(id.padEnd(length, '.')) }) as ResultRow;
  let held = 0;
  return {
    held: () => held,
    tasks: async ({ limit, cursor }: { limit: number; cursor?: string }) => {
      const from = Number(cursor ?? 0);
      const items = ids.slice(from, from + limit).map((id) => ({ id, task_id: id }) as TaskRow);
      return { items, next_cursor: from + limit < count ? String(from + limit) : null };
    },
    result: async (id: string) => {
      held++;
      return stored(id);
    },
    runResults: async () => Object.fromEntries(ids.map((id) => [id, stored(id)])),
  };
}

const run = { workflow_id: 'w', status: 'completed' } as const;

describe('the results of a run', () => {
  it.each([0, 1, 16, 17, 499, 500, 501, 1203])('are all there: %i', async (count) => {
    const { text } = await runAnswer(readsOf(count, 5), run, undefined);
    const { results } = JSON.parse(text) as { results: Record<string, string> };
    expect(Object.keys(results)).toEqual(Array.from({ length: count }, (_, index) => `t${index}`));
    expect(Object.entries(results).every(([id, value]) => value === id.padEnd(5, '.'))).toBe(true);
  });

  it.each([10, 600])('are those that were asked for, of %i', async (count) => {
    const { text } = await runAnswer(readsOf(count, 5), run, ['t3', 't7']);
    expect(JSON.parse(text)).toEqual({ ...run, results: { t3: 't3...', t7: 't7...' } });
  });

  it.each([10, 600])('are refused for a task that the run does not have, of %i', async (count) => {
    await expect(runAnswer(readsOf(count, 5), run, ['t3', 'tt4'])).rejects.toMatchObject({
      code: 'GLZ1012',
      message: 'tasks: the run has no task "tt4"',
      details: { field: 'tasks', hint: 'did you mean "t4"?' },
    });
    await expect(runAnswer(readsOf(count, 5), run, [])).resolves.toMatchObject({
      text: expect.stringContaining('"results":{}'),
    });
  });

  it('may be asked for before they are there', async () => {
    const reads = readsOf(3, 5);
    const tasks: typeof reads.tasks = async (query) =>
      'status' in query ? { items: [], next_cursor: null } : reads.tasks(query);
    const { text } = await runAnswer({ ...reads, tasks }, run, ['t1']);
    expect(JSON.parse(text)).toEqual({ ...run, results: {} });
  });

  it('that are too long for one answer are refused before all of them are read', async () => {
    const reads = readsOf(1000, 1024 * 1024);
    await expect(runAnswer(reads, run, undefined)).rejects.toMatchObject({
      code: 'GLZ1007',
      details: { field: 'tasks', hint: expect.stringContaining('task.result') },
    });
    expect(reads.held()).toBeLessThan(50);
    await expect(runAnswer(reads, run, ['t1', 't2'])).resolves.toBeDefined();
  });
});

describe('the result of a task', () => {
  const outcome = { task_id: 't', error: null, stored_at: 0 } as const;

  it('goes out as the text it is', () => {
    const answer = resultAnswer({ ...outcome, status: 'completed', result: '{"b": 1, "a": [1.0]}' });
    expect(answer).toMatchObject({
      text: '{"task_id":"t","status":"completed","result":{"b": 1, "a": [1.0]},"stored_at":"1970-01-01T00:00:00.000Z"}',
    });
  });

  it('does not show what is sealed in it', () => {
    const answer = resultAnswer({ ...outcome, status: 'completed', result: '{"a":{"$sealed":"x"}}' });
    expect(answer).toMatchObject({ text: expect.stringContaining('"result":{"a":"[secret]"}') });
  });
});
