import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { ClaimRequest, CommitRequest } from '../core/ports/store.ts';
import type { NewRun, Write } from '../core/writes.ts';
import { SimulatedData } from '../store/simulated/data.ts';
import type { SimulatedFaults } from '../store/simulated/faults.ts';
import { openSimulatedStore } from '../store/simulated/store.ts';
import { lone } from '../store/suite/build.suite.ts';
import { VirtualTime } from './testing/virtual-time.suite.ts';
import { keepingLogger, type LogLine } from './testing/world.suite.ts';
import { Writer } from './writer.ts';

const down = () => new GleitzeitError('GLZ3001', 'the store is away');

/** A writer over the simulated store; `gate` holds commits back until the test lets them go. */
function setUp() {
  const time = new VirtualTime();
  const data = new SimulatedData();
  const log: LogLine[] = [];
  const commits: CommitRequest[] = [];
  const times: number[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const state = {
    gated: false,
    fails: 0,
    claim: null as ClaimRequest | null,
    asked: 0,
    failures: 0,
    running: 0,
  };
  const faults: SimulatedFaults = {
    async beforeCommit(request) {
      commits.push(request);
      times.push(time.monotonic());
      state.running++;
      expect(state.running).toBe(1);
      if (state.gated) {
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        await gate.promise;
      }
      state.running--;
      if (state.fails-- > 0) throw down();
    },
  };
  const store = openSimulatedStore({ data, clock: time.storeClock, faults });
  const committed: number[] = [];
  const writer = new Writer({
    store,
    timers: time,
    logger: keepingLogger(log),
    hooks: {
      claim: () => {
        state.asked++;
        return state.claim;
      },
      committed: (answer) => committed.push(answer.verdicts.length),
      failed: () => {
        state.failures++;
      },
    },
  });
  const open = async () => {
    gates.shift()?.resolve();
    await time.settle();
  };
  return { time, data, log, commits, times, state, store, writer, committed, open };
}

const put = (key: string, expect: number | null = null) =>
  ({ kind: 'put_document', collection: 'c', key, text: key, expect }) as const;
const submit = (...runs: NewRun[]) => ({ kind: 'submit', runs }) as const;
const keysIn = ({ writes }: CommitRequest) =>
  writes.map((write) => ('key' in write ? write.key : write.kind));
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'written',
    (thrown: unknown) => GleitzeitError.from(thrown).code,
  );

describe('the writer', () => {
  it('sends a lone write at once, without waiting for company', async () => {
    const { time, writer, commits } = setUp();
    const answer = writer.write(put('a'));
    await time.settle();
    await expect(answer).resolves.toEqual({ version: 1 });
    expect(time.monotonic()).toBe(0);
    expect(commits).toHaveLength(1);
  });

  it('puts what is handed over at the same moment into one commit', async () => {
    const { time, writer, commits } = setUp();
    const answers = ['a', 'b', 'c'].map((key) => writer.write(put(key)));
    await time.settle();
    await Promise.all(answers);
    expect(commits.map(keysIn)).toEqual([['a', 'b', 'c']]);
  });

  it('gathers what comes while a commit runs, and never has two under way', async () => {
    const { time, writer, commits, state, open } = setUp();
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
    const { time, writer, commits } = setUp();
    const keys = Array.from({ length: 2100 }, (_, index) => `k${index}`);
    const answers = keys.map((key) => writer.write(put(key)));
    await time.settle();
    await Promise.all(answers);
    expect(commits.map(({ writes }) => writes.length)).toEqual([2048, 52]);
    expect(commits.flatMap(keysIn)).toEqual(keys);
  });

  it('counts the tasks of a submission, and takes one that is larger than the bound whole', async () => {
    const { time, writer, commits } = setUp();
    const many = Array.from({ length: 3000 }, (_, index) => lone(`m${index}`));
    const answers = [writer.write(submit(...many)), writer.write(put('after'))];
    await time.settle();
    await Promise.all(answers);
    expect(commits.map(({ writes }) => writes.length)).toEqual([1, 1]);
  });

  it('rejects only the write that was refused', async () => {
    const { time, writer, commits } = setUp();
    const [good, bad, late] = [writer.write(put('a')), writer.write(put('b', 7)), writer.write(put('c'))];
    const told = codeOf(bad);
    await time.settle();
    expect(await told).toBe('GLZ1013');
    expect([await good, await late]).toEqual([{ version: 1 }, { version: 1 }]);
    expect(commits).toHaveLength(1);
  });

  it('asks for a claim with every commit, and makes one for a claim alone', async () => {
    const { time, writer, commits, state } = setUp();
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
    const { time, writer, commits, state, open } = setUp();
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

describe('rides', () => {
  const start: Write = {
    kind: 'start',
    task_id: 't',
    owner: 'e1',
    fence: 1,
    start: { attempt: 1, provider: null, ago_ms: 0 },
  };

  it('go with the next commit and wait for it up to 5 ms', async () => {
    const { time, writer, commits } = setUp();
    writer.ride(start);
    await time.advance(4);
    expect(commits).toHaveLength(0);
    void writer.write(put('a'));
    await time.advance(0);
    expect(commits.map(keysIn)).toEqual([['start', 'a']]);
    await time.advance(50);
    expect(commits).toHaveLength(1);
  });

  it('make a commit of their own when none comes', async () => {
    const { time, writer, commits } = setUp();
    writer.ride(start);
    writer.ride(start);
    await time.advance(5);
    expect(commits.map(keysIn)).toEqual([['start', 'start']]);
    writer.ride(start);
    await time.advance(5);
    expect(commits).toHaveLength(2);
  });

  it('are not written once they are dropped', async () => {
    const { time, writer, commits } = setUp();
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
    const { time, writer, state, committed } = setUp();
    state.fails = 1;
    writer.ride(start);
    await time.advance(5);
    expect(state.failures).toBe(1);
    writer.ride(start);
    await time.advance(100);
    expect(committed).toEqual([1]);
  });
});

describe('a store that fails', () => {
  it('rejects ordinary writes and keeps lasting ones, in order and before what came later', async () => {
    const { time, writer, commits, state, log, open } = setUp();
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
    expect(log.map(({ level }) => level)).toEqual(['error']);
  });

  it('is asked again after a delay that doubles from 20 ms up to a second', async () => {
    const { time, writer, state, times } = setUp();
    state.fails = 9;
    await time.until(writer.write(put('a'), { lasting: true }));
    const delays = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(delays).toEqual([20, 40, 80, 160, 320, 640, 1000, 1000, 1000]);
    expect(state.failures).toBe(9);
  });

  it('is asked at once again after it has recovered', async () => {
    const { time, writer, state, commits } = setUp();
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
    const { time, writer, state, commits } = setUp();
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
    const { time, writer, store } = setUp();
    store.commit = () => Promise.reject(new Error('socket hang up'));
    const told = codeOf(writer.write(put('a')));
    await time.settle();
    expect(await told).toBe('GLZ3001');
  });
});

describe('the end of a writer', () => {
  it('drained resolves when everything handed over is written, rides included', async () => {
    const { time, writer, state, open, data } = setUp();
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
    const { time, writer, commits } = setUp();
    writer.ride(put('a')).drop();
    const all = writer.drained();
    await time.settle();
    await all;
    expect(commits).toHaveLength(0);
  });

  it('close rejects what is pending, lasting or not, and whatever comes after', async () => {
    const { time, writer, state, commits, open } = setUp();
    state.gated = true;
    void writer.write(put('a'));
    await time.settle();
    const pending = [codeOf(writer.write(put('b'))), codeOf(writer.write(put('c'), { lasting: true }))];
    writer.ride(put('d'));
    const drained = writer.drained();
    writer.close();
    expect(await Promise.all(pending)).toEqual(['GLZ9002', 'GLZ9002']);
    await drained;
    expect(await codeOf(writer.write(put('e')))).toBe('GLZ9002');
    await open();
    await time.advance(1000);
    expect(commits).toHaveLength(1);
  });

  it('close still tells those whose write is under way how it went, and no hook', async () => {
    const { time, writer, state, open, committed } = setUp();
    state.gated = true;
    const written = writer.write(put('a'));
    await time.settle();
    writer.close();
    await open();
    await expect(written).resolves.toEqual({ version: 1 });
    expect(committed).toEqual([]);
  });

  it('close does not leave a lasting write hanging whose commit failed under way', async () => {
    const { time, writer, state, open } = setUp();
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
    const { time, writer, state, commits } = setUp();
    state.fails = 1;
    const told = codeOf(writer.write(put('a'), { lasting: true }));
    await time.settle();
    writer.close();
    expect(await told).toBe('GLZ9002');
    await time.advance(1000);
    expect(commits).toHaveLength(1);
  });
});
