import { expect } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { noObserver } from '../../core/ports/observer.ts';
import type { ClaimRequest, CommitRequest } from '../../core/ports/store.ts';
import type { NewRun } from '../../core/writes.ts';
import { SimulatedData } from '../../store/simulated/data.ts';
import type { SimulatedFaults } from '../../store/simulated/faults.ts';
import { openSimulatedStore } from '../../store/simulated/store.ts';
import { Writer } from '../writer.ts';
import { VirtualTime } from './virtual-time.suite.ts';
import { keepingLogger, type LogLine } from './world.suite.ts';

const down = () => new GleitzeitError('GLZ3001', 'the store is away');

/** A writer over the simulated store; `gate` holds commits back until the test lets them go. */
export function writerScene(atOnce = 1) {
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
      expect(state.running).toBeLessThanOrEqual(atOnce);
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
    clock: time,
    timers: time,
    observer: noObserver,
    logger: keepingLogger(log),
    few: 32,
    atOnce,
    hooks: {
      claim: () => {
        state.asked++;
        return state.claim;
      },
      received: () => {},
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

export const put = (key: string, expect: number | null = null) =>
  ({ kind: 'put_document', collection: 'c', key, text: key, expect }) as const;
export const submit = (...runs: NewRun[]) => ({ kind: 'submit', runs }) as const;
export const keysIn = ({ writes }: CommitRequest) =>
  writes.map((write) => ('key' in write ? write.key : write.kind));
export const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'written',
    (thrown: unknown) => GleitzeitError.from(thrown).code,
  );
