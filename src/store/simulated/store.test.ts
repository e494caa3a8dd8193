import { type StoreHarness, storeSuite } from '../store.suite.ts';
import { SimulatedData } from './data.ts';
import { openSimulatedStore } from './store.ts';

function simulated(exclusive: boolean): StoreHarness {
  return {
    async open() {
      let now = 1_700_000_000_000;
      const data = new SimulatedData();
      const openHandle = () => openSimulatedStore({ data, clock: () => now, exclusive });
      const handles = [openHandle()];
      const closeAll = () => Promise.all(handles.splice(0).map((handle) => handle.close()));
      const openAnother = () => {
        const handle = openHandle();
        handles.push(handle);
        return handle;
      };
      return {
        store: handles[0] ?? openHandle(),
        advance: async (ms) => {
          now += ms;
        },
        reopen: async () => {
          await closeAll();
          return openAnother();
        },
        ...(exclusive ? {} : { second: async () => openAnother() }),
        close: async () => {
          await closeAll();
        },
      };
    },
  };
}

storeSuite('the simulated store, held by one process', simulated(true));
storeSuite('the simulated store, shared', simulated(false));
