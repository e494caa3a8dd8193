import { GleitzeitError } from '../../src/core/errors.ts';
import { SimulatedData } from '../../src/store/simulated/data.ts';
import { openSimulatedStore, type SimulatedStore } from '../../src/store/simulated/store.ts';
import { EPOCH, type Subject } from './subject.ts';

export function simulatedSubject(exclusive: boolean): Subject {
  return {
    name: `simulated, ${exclusive ? 'held by one process' : 'shared'}`,
    async open() {
      const data = new SimulatedData();
      let now = EPOCH;
      let full = false;
      const faults = {
        beforeCommit() {
          if (full) throw new GleitzeitError('GLZ3003', 'no room left');
        },
      };
      const openHandle = () => openSimulatedStore({ data, clock: () => now, exclusive, faults });
      const openAll = () => (exclusive ? [openHandle()] : [openHandle(), openHandle()]);
      let handles: readonly SimulatedStore[] = openAll();
      const handle = (by: string) => handles[by === 'e2' ? handles.length - 1 : 0] as SimulatedStore;
      return {
        commit: (by, request) => handle(by).commit(request),
        async commitWhenFull(by, request) {
          full = true;
          return handle(by)
            .commit(request)
            .finally(() => {
              full = false;
            });
        },
        reads: () => handle('e1').reads,
        async advance(ms) {
          now += ms;
        },
        async reopen() {
          for (const open of handles) await open.close();
          handles = openAll();
        },
        async crash() {
          for (const open of handles) open.crash();
          handles = openAll();
        },
        async close() {
          for (const open of handles) await open.close();
        },
      };
    },
  };
}
