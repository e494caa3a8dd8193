import { describe, expect, it } from 'vitest';
import type { Write } from '../core/writes.ts';
import { codeOf, keysIn, put, writerScene } from './testing/writer.suite.ts';

describe('the writer', () => {
  it('sends a lone write at once, without waiting for company', async () => {
    const { time, writer, commits } = writerScene();
    const answer = writer.write(put('a'));
    await time.settle();
    await expect(answer).resolves.toEqual({ version: 1 });
    expect(time.monotonic()).toBe(0);
    expect(commits).toHaveLength(1);
  });

  it('puts what is handed over at the same moment into one commit', async () => {
    const { time, writer, commits } = writerScene();
    const answers = ['a', 'b', 'c'].map((key) => writer.write(put(key)));
    await time.settle();
    await Promise.all(answers);
    expect(commits.map(keysIn)).toEqual([['a', 'b', 'c']]);
  });

  it('gathers what comes while a commit runs, and never has two under way', async () => {
    const { time, writer, commits, state, open } = writerScene();
    state.gated = true;
    const first = writer.write(put('a'));
    await time.settle();
    const others = ['b', 'c'].map((key) => writer.write(put(key)));
    await time.settle();
    expect(commits).toHaveLength(1);
    await open();
    await first;
    expect(commits.map(keysIn)).toEqual([['a'], ['b', 'c']]);
    await open();
    await Promise.all(others);
  });

  it('bounds a commit and keeps the order of what is left for the next', async () => {
    const { time, writer, commits } = writerScene();
    const keys = Array.from({ length: 2100 }, (_, index) => `k${index}`);
    const answers = keys.map((key) => writer.write(put(key)));
    await time.settle();
    await Promise.all(answers);
    expect(commits.map(({ writes }) => writes.length)).toEqual([32, 2048, 20]);
    expect(commits.flatMap(keysIn)).toEqual(keys);
  });

  it('sends as many writes as are worth it at once, and as many as half of that while the next answer is on its way', async () => {
    const { time, writer, commits } = writerScene();
    const send = (count: number) =>
      Array.from({ length: count }, (_, index) => writer.write(put(`k${index}`)));
    const few = send(31);
    expect(commits).toHaveLength(0);
    const enough = writer.write(put('k31'));
    expect(commits.map(({ writes }) => writes.length)).toEqual([32]);
    const more = send(100);
    await time.settle();
    await Promise.all([...few, enough, ...more]);
    expect(commits.map(({ writes }) => writes.length)).toEqual([32, 100]);
    const later = send(49);
    expect(commits).toHaveLength(2);
    later.push(...send(1));
    expect(commits.map(({ writes }) => writes.length)).toEqual([32, 100, 50]);
    await time.settle();
    await Promise.all(later);
  });

  it('lets a beat go before whatever else waits', async () => {
    const { time, writer, commits } = writerScene();
    void writer.write(put('a'));
    void writer.write({ kind: 'beat', owner: 'e1', ttl_ms: 1000 });
    await time.settle();
    expect(commits.map(keysIn)).toEqual([['beat', 'a']]);
  });

  it('rejects only the write that was refused', async () => {
    const { time, writer, commits } = writerScene();
    const [good, bad, late] = [writer.write(put('a')), writer.write(put('b', 7)), writer.write(put('c'))];
    const told = codeOf(bad);
    await time.settle();
    expect(await told).toBe('GLZ1013');
    expect([await good, await late]).toEqual([{ version: 1 }, { version: 1 }]);
    expect(commits).toHaveLength(1);
  });

  it('asks for a claim with every commit, and makes one for a claim alone', async () => {
    const { time, writer, commits, state } = writerScene();
    await time.settle();
    expect(commits).toHaveLength(0);
    writer.wake();
    await time.settle();
    expect(state.asked).toBe(1);
    expect(commits).toHaveLength(0);
    state.claim = { owner: 'e1', limit: 3, lanes: ['test'] };
    writer.wake();
    await time.settle();
    expect(commits).toEqual([{ writes: [], claim: state.claim }]);
    void writer.write(put('a'));
    await time.settle();
    expect(commits[1]?.claim).toEqual(state.claim);
  });

  it('hears a wake during a commit and commits once more', async () => {
    const { time, writer, commits, state, open } = writerScene();
    state.gated = true;
    state.claim = { owner: 'e1', limit: 1, lanes: ['test'] };
    writer.wake();
    await time.settle();
    writer.wake();
    writer.wake();
    await open();
    expect(commits).toHaveLength(2);
    await open();
    expect(commits).toHaveLength(2);
  });
});

describe('two commits under way', () => {
  it('are one that runs and one that waits at the store, and no more', async () => {
    const { time, writer, commits, state, open } = writerScene(2);
    state.gated = true;
    const answers = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      answers.push(writer.write(put(key)));
      await time.settle();
    }
    expect(commits.map(keysIn)).toEqual([['a'], ['b']]);
    await open();
    expect(commits.map(keysIn)).toEqual([['a'], ['b'], ['c', 'd']]);
    await open();
    await open();
    await Promise.all(answers);
  });

  it('leave what is made late to go by itself', async () => {
    const { time, writer, commits, state, open } = writerScene(2);
    state.gated = true;
    const first = writer.write(put('a'));
    await time.settle();
    let made = 0;
    const late = writer.writeLate<'put_document'>(() => {
      made = commits.length;
      return put('late');
    });
    const after = writer.write(put('b'));
    await time.settle();
    expect(commits.map(keysIn)).toEqual([['a']]);
    await open();
    await first;
    expect(commits.map(keysIn)).toEqual([['a'], ['late', 'b']]);
    expect(made).toBe(1);
    await open();
    await Promise.all([late, after]);
  });

  it('leave it so after a failure, and take turns again afterwards', async () => {
    const { time, writer, commits, state, open } = writerScene(2);
    state.gated = true;
    state.fails = 1;
    const late = writer.writeLate<'put_document'>(() => put('late'));
    await time.settle();
    await open();
    await time.advance(20);
    expect(commits.map(keysIn)).toEqual([['late'], ['late']]);
    const beside = writer.writeLate<'put_document'>(() => put('later'));
    await time.settle();
    expect(commits).toHaveLength(2);
    await open();
    await late;
    await open();
    await beside;
    const two = [writer.write(put('a'))];
    await time.settle();
    two.push(writer.write(put('b')));
    await time.settle();
    expect(commits.slice(3).map(keysIn)).toEqual([['a'], ['b']]);
    await open();
    await open();
    await Promise.all(two);
  });

  it('become one again while the store has trouble', async () => {
    const { time, writer, commits, state, open } = writerScene(2);
    state.gated = true;
    state.fails = 1;
    const lasting = writer.write(put('a'), { lasting: true });
    await time.settle();
    const second = writer.write(put('b'));
    await time.settle();
    await open();
    const third = writer.write(put('c'));
    await time.settle();
    expect(commits.map(keysIn)).toEqual([['a'], ['b']]);
    await open();
    await second;
    await time.advance(20);
    expect(commits.map(keysIn)).toEqual([['a'], ['b'], ['a', 'c']]);
    await open();
    await Promise.all([lasting, third]);
  });
});

describe('rides', () => {
  const start = (): Write => ({
    kind: 'start',
    task_id: 't',
    owner: 'e1',
    fence: 1,
    start: { attempt: 1, provider: null, ago_ms: 0 },
  });

  it('wait for 5 to 10 ms, whatever is committed meanwhile, and are made only then', async () => {
    const { time, writer, commits } = writerScene();
    let madeAt = -1;
    writer.ride(() => {
      madeAt = time.monotonic();
      return start();
    });
    await time.advance(9);
    void writer.write(put('a'));
    await time.advance(0);
    expect(commits.map(keysIn)).toEqual([['a']]);
    expect(madeAt).toBe(-1);
    await time.advance(1);
    expect(commits.map(keysIn)).toEqual([['a'], ['start']]);
    expect(madeAt).toBe(10);
    await time.advance(50);
    expect(commits).toHaveLength(2);
  });

  it('go together, and before whoever waits until all is written', async () => {
    const { time, writer, commits } = writerScene();
    writer.ride(start);
    await time.until(writer.drained());
    expect(commits.map(keysIn)).toEqual([['start']]);
    expect(time.monotonic()).toBe(0);
    expect(time.pending).toBe(0);
  });

  it('make a commit of their own', async () => {
    const { time, writer, commits } = writerScene();
    writer.ride(start);
    writer.ride(start);
    await time.advance(10);
    expect(commits.map(keysIn)).toEqual([['start', 'start']]);
    writer.ride(start);
    await time.advance(10);
    expect(commits).toHaveLength(2);
  });

  it('are not written once they are dropped', async () => {
    const { time, writer, commits } = writerScene();
    const ride = writer.ride(start);
    ride.drop();
    await time.advance(100);
    expect(commits).toHaveLength(0);
    expect(time.pending).toBe(0);
    const other = writer.ride(start);
    void writer.write(put('a'));
    other.drop();
    await time.settle();
    expect(commits.map(keysIn)).toEqual([['a']]);
  });

  it('harm nobody when they are refused or the store fails', async () => {
    const { time, writer, state, committed } = writerScene();
    state.fails = 1;
    writer.ride(start);
    await time.advance(10);
    expect(state.failures).toBe(1);
    writer.ride(start);
    await time.advance(100);
    expect(committed).toEqual([1]);
  });
});
