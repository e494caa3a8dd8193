import { errorFromRpc } from '../core/errors.ts';
import type { Store } from '../core/ports/store.ts';
import { SimulatedData } from '../store/simulated/data.ts';
import { openSimulatedStore, type SimulatedStore } from '../store/simulated/store.ts';
import type { Documents } from './documents.ts';

/** Documents of a store, as an engine would write them. */
export function documentsOf(store: Store): Documents {
  return {
    reads: store.reads,
    put: async (document) => {
      const { verdicts } = await store.commit({
        writes: [{ kind: 'put_document', ...document }],
        claim: null,
      });
      const [verdict] = verdicts;
      if (verdict?.ok !== true) throw errorFromRpc(verdict?.error);
      return verdict.answer as { version: number };
    },
  };
}

export function openShared(data = new SimulatedData()): SimulatedStore {
  return openSimulatedStore({ data, clock: () => 1000, exclusive: false });
}
