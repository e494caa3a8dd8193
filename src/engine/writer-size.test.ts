import { describe, expect, it } from 'vitest';
import type { Write } from '../core/writes.ts';
import { graph, lone } from '../store/suite/build.suite.ts';
import { put, submit, writerScene } from './testing/writer.suite.ts';

const large = `"${'x'.repeat(6 * 1024 * 1024)}"`;
const reused = { workflow_id: 'w', task_id: 'a', result: large };

function outcome(task_id: string, result: string): Write {
  const answer = { word: 'done', result } as const;
  return { kind: 'settle', task_id, owner: 'e', fence: 1, start: null, answer, chance: 0 };
}

describe('a commit', () => {
  it.each<[string, (id: string) => Write]>([
    ['params', (id) => submit(lone(id, { params: large }))],
    ['inputs', (id) => submit(graph(id, { a: {} }, { input: large }))],
    ['reused results', (id) => submit(graph(id, { a: { reused } }))],
    ['results', (id) => outcome(id, large)],
  ])('takes so many characters of %s and no more', async (_, writeOf) => {
    const { time, commits, writer } = writerScene();
    await time.until(Promise.all(['a', 'b', 'c', 'd'].map((id) => writer.write(writeOf(id)))));
    expect(commits.map(({ writes }) => writes.length)).toEqual([3, 1]);
  });

  it('takes a write that is larger than the bound, and nothing after it', async () => {
    const { time, commits, writer } = writerScene();
    const runs = ['a', 'b', 'c'].map((id) => lone(id, { params: large }));
    await time.until(Promise.all([writer.write(submit(...runs)), writer.write(put('k'))]));
    expect(commits.map(({ writes }) => writes.length)).toEqual([1, 1]);
  });

  it('counts the tasks of a submission, and takes one that is larger than the bound whole', async () => {
    const { time, writer, commits } = writerScene();
    const many = Array.from({ length: 3000 }, (_, index) => lone(`m${index}`));
    const answers = [writer.write(submit(...many)), writer.write(put('after'))];
    await time.settle();
    await Promise.all(answers);
    expect(commits.map(({ writes }) => writes.length)).toEqual([1, 1]);
  });
});
