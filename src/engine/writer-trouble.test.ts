import { describe, expect, it } from 'vitest';
import { codeOf, keysIn, put, writerScene } from './testing/writer.suite.ts';

describe('a store that fails', () => {
  it('rejects ordinary writes and keeps lasting ones, in order and before what came later', async () => {
    const { time, writer, commits, state, log, open } = writerScene();
    state.gated = true;
    const lasting = writer.write(put('a'), { lasting: true });
    const ordinary = codeOf(writer.write(put('b')));
    const second = writer.write(put('c'), { lasting: true });
    await time.settle();
    const later = writer.write(put('d'));
    state.gated = false;
    state.fails = 1;
    await open();
    expect(await ordinary).toBe('GLZ3001');
    await time.until(Promise.all([lasting, second, later]));
    expect(commits.map(keysIn)).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c', 'd'],
    ]);
    expect(log.map(({ level }) => level)).toEqual(['error', 'info']);
  });

  it('is asked again after a delay that doubles from 20 ms up to a second', async () => {
    const { time, writer, state, times } = writerScene();
    state.fails = 9;
    await time.until(writer.write(put('a'), { lasting: true }));
    const delays = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(delays).toEqual([20, 40, 80, 160, 320, 640, 1000, 1000, 1000]);
    expect(state.failures).toBe(9);
  });

  it('is asked at once again after it has recovered', async () => {
    const { time, writer, state, commits } = writerScene();
    state.fails = 3;
    await time.until(writer.write(put('a'), { lasting: true }));
    const recovered = time.monotonic();
    await time.until(writer.write(put('b')));
    expect(time.monotonic()).toBe(recovered);
    state.fails = 1;
    const told = codeOf(writer.write(put('c')));
    await time.settle();
    expect(await told).toBe('GLZ3001');
    void writer.write(put('d'));
    await time.advance(20);
    expect(commits).toHaveLength(7);
  });

  it('is not overrun by writes that come during the delay', async () => {
    const { time, writer, state, commits } = writerScene();
    state.fails = 1;
    void writer.write(put('a'), { lasting: true });
    await time.settle();
    const more = ['b', 'c', 'd'].map((key) => writer.write(put(key)));
    await time.advance(19);
    expect(commits).toHaveLength(1);
    await time.advance(1);
    await Promise.all(more);
    expect(commits.map(keysIn)[1]).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is taken for unavailable when it throws something that is no error of ours', async () => {
    const { time, writer, store } = writerScene();
    store.commit = () => Promise.reject(new Error('socket hang up'));
    const told = codeOf(writer.write(put('a')));
    await time.settle();
    expect(await told).toBe('GLZ3001');
  });
});

describe('the end of a writer', () => {
  it('drained resolves when everything handed over is written, rides included', async () => {
    const { time, writer, state, open, data } = writerScene();
    await writer.drained();
    state.gated = true;
    void writer.write(put('a'));
    await time.settle();
    void writer.write(put('b'));
    let drained = false;
    const all = writer.drained().then(() => {
      drained = true;
    });
    await open();
    expect(drained).toBe(false);
    await open();
    await all;
    expect(data.documents.size).toBe(2);
  });

  it('drained does not wait for a ride that was dropped', async () => {
    const { time, writer, commits } = writerScene();
    writer.ride(() => put('a')).drop();
    const all = writer.drained();
    await time.settle();
    await all;
    expect(commits).toHaveLength(0);
  });

  it('close rejects what is pending, lasting or not, and whatever comes after', async () => {
    const { time, writer, state, commits, open } = writerScene();
    state.gated = true;
    void writer.write(put('a'));
    await time.settle();
    const pending = [codeOf(writer.write(put('b'))), codeOf(writer.write(put('c'), { lasting: true }))];
    writer.ride(() => put('d'));
    const drained = writer.drained();
    writer.close();
    expect(await Promise.all(pending)).toEqual(['GLZ9002', 'GLZ9002']);
    await drained;
    expect(await codeOf(writer.write(put('e')))).toBe('GLZ9002');
    await open();
    expect(time.pending).toBe(0);
    await time.advance(1000);
    expect(commits).toHaveLength(1);
  });

  it('close still tells those whose write is under way how it went, and no hook', async () => {
    const { time, writer, state, open, committed } = writerScene();
    state.gated = true;
    const written = writer.write(put('a'));
    await time.settle();
    writer.close();
    await open();
    await expect(written).resolves.toEqual({ version: 1 });
    expect(committed).toEqual([]);
  });

  it('close does not leave a lasting write hanging whose commit failed under way', async () => {
    const { time, writer, state, open } = writerScene();
    state.gated = true;
    const told = [codeOf(writer.write(put('a'), { lasting: true })), codeOf(writer.write(put('b')))];
    await time.settle();
    state.fails = 1;
    writer.close();
    await open();
    expect(await Promise.all(told)).toEqual(['GLZ3001', 'GLZ3001']);
    expect(state.failures).toBe(0);
  });

  it('close during the delay after a failure makes no further commit', async () => {
    const { time, writer, state, commits } = writerScene();
    state.fails = 1;
    const told = codeOf(writer.write(put('a'), { lasting: true }));
    await time.settle();
    writer.close();
    expect(await told).toBe('GLZ9002');
    await time.advance(1000);
    expect(commits).toHaveLength(1);
  });
});
