import { describe } from 'vitest';
import { claimSuite } from './suite/claim.suite.ts';
import type { StoreHarness } from './suite/harness.suite.ts';
import { submitSuite } from './suite/submit.suite.ts';

export type { OpenStore, StoreHarness } from './suite/harness.suite.ts';
export { verifyStore } from './suite/verify.suite.ts';

/** What every store must do, whatever it is made of. */
export function storeSuite(name: string, harness: StoreHarness): void {
  describe(name, () => {
    submitSuite(harness);
    claimSuite(harness);
  });
}
