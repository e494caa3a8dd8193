import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, scenes, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

/** What breaks stores that build their statements, paths or objects from text. */
const strange = [
  '',
  ' ',
  'ünïcödé — 日本語 — 👩‍👩‍👧‍👦',
  `it's "quoted" \`so\``,
  "'; DROP TABLE task; --",
  'back\\slash \\u0000 \\n',
  'line\nbreak\r\n\ttab',
  '\u0001\u001f\u007f\u2028\u2029\ufeff',
  '%_*?[]{}$1 :name @p ?1',
  'NULL',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '{"json":[1,2]}',
  '{a,b}',
  'x'.repeat(2000),
];

export function textsSuite(harness: StoreHarness): void {
  describe('text', () => {
    const scene = scenes(harness);

    it.each(strange)('%j comes back as it went in, from every place', async (text) => {
      const { store } = scene();
      const json = JSON.stringify({ [text]: text });
      await scene().join(`e ${text}`);
      const run = graph(
        `w ${text}`,
        { a: { params: json, lane: text } },
        { name: text, version: text, input: json },
      );
      await scene().submit({ ...run, idempotency_key: text, body_hash: text });
      const [one] = await scene().claim(`e ${text}`, 1, [text]);
      expect(the(one).task).toMatchObject({ lane: text, owner: `e ${text}`, workflow_id: `w ${text}` });
      const error = new GleitzeitError('GLZ2010', text, {
        reason: text,
        details: { [text]: text },
      }).toRecord();
      await scene().settle(the(one).task, failed(error));
      expect((await scene().task(`w ${text}/a`)).error).toEqual(error);
      expect((await store.reads.task(`w ${text}/a`))?.body.params).toBe(json);
      expect(await store.reads.run(`w ${text}`)).toMatchObject({
        input: json,
        run: { name: text, version: text },
      });
      expect((await store.reads.runs({ name: text, limit: 5 })).items.length).toBe(1);
      const told = await allEvents(store.reads, { workflow_id: `w ${text}`, events: ['task:failed'] });
      expect(told.map(({ data }) => data)).toEqual([{ attempt: 1, error }]);
      await scene().write({ kind: 'put_document', collection: text, key: text, text, expect: 0 });
      expect(await store.reads.document(text, text)).toEqual({
        collection: text,
        key: text,
        text,
        version: 1,
      });
      const again = await scene().submit({ ...run, idempotency_key: text, body_hash: text });
      expect(again.runs).toMatchObject([{ workflow_id: `w ${text}`, created: false }]);
    });

    it.each(strange)('%j may be the short id of a task', async (id) => {
      await scene().join('e1');
      const tasks = Object.fromEntries([
        [id, {}],
        ['last', { after: [id], reads: [id] }],
      ]);
      const run = graph('w1', tasks);
      const both = await scene().commit([
        { kind: 'submit', runs: [run] },
        { kind: 'submit', runs: [run] },
      ]);
      const ids = new Map([
        [id, `w1/${id}`],
        ['last', 'w1/last'],
      ]);
      const answers = both.verdicts.map((verdict) => (verdict.ok ? verdict.answer : verdict.error));
      for (const answer of [...answers, await scene().submit(run)]) {
        expect('runs' in answer && new Map(answer.runs[0]?.tasks)).toEqual(ids);
      }
      await scene().settle(await scene().claimOne('e1'), done('1'));
      const last = the((await scene().claim('e1'))[0]);
      expect(Object.entries(the(last.payloads).inputs)).toEqual([[id, { status: 'completed', result: '1' }]]);
      expect(Object.entries(last.body.inputs)).toEqual([[id, `w1/${id}`]]);
      expect(Object.keys(await scene().store.reads.runResults('w1'))).toEqual([id]);
      expect(Object.keys(the(await scene().store.reads.payloads('w1/last')).inputs)).toEqual([id]);
    });

    it('with a NUL is kept as it is or refused alone, and its neighbours are unharmed', async () => {
      const nul = 'a\u0000b';
      await scene().join('e1');
      const { verdicts, claimed } = await scene().commit(
        [
          { kind: 'submit', runs: [lone('t1')] },
          { kind: 'submit', runs: [graph('w1', { a: { params: JSON.stringify(nul) } }, { name: nul })] },
          { kind: 'submit', runs: [lone('t2')] },
          { kind: 'put_document', collection: 'c', key: 'k', text: nul, expect: null },
          { kind: 'submit', runs: [lone('t3')] },
        ],
        { owner: 'e1', limit: 10, lanes: [LANE] },
      );
      expect([0, 2, 4].map((index) => verdicts[index]?.ok)).toEqual([true, true, true]);
      for (const index of [1, 3]) {
        const verdict = the(verdicts[index]);
        expect(verdict.ok || verdict.error.data.error_code).toBe(verdict.ok ? true : 'GLZ3009');
      }
      const { reads } = scene().store;
      expect((await reads.run('w1'))?.run.name).toBe(verdicts[1]?.ok ? nul : undefined);
      expect((await reads.document('c', 'k'))?.text).toBe(verdicts[3]?.ok ? nul : undefined);
      const taken = claimed.map(({ task }) => task.task_id).sort();
      expect(taken).toEqual(['t1', 't2', 't3', ...(verdicts[1]?.ok ? ['w1/a'] : [])]);
      expect(await reads.cursor()).toBe(verdicts[1]?.ok ? 5 : 3);
    });
  });
}
