import { describe } from 'vitest';
import { agentsSuite } from './suite/agents.suite.ts';
import { attemptsSuite } from './suite/attempts.suite.ts';
import { awaySuite } from './suite/away.suite.ts';
import { claimSuite } from './suite/claim.suite.ts';
import { commitSuite } from './suite/commit.suite.ts';
import { controlSuite } from './suite/control.suite.ts';
import { documentsSuite } from './suite/documents.suite.ts';
import { enginesSuite } from './suite/engines.suite.ts';
import { eventsSuite } from './suite/events.suite.ts';
import { graphSuite } from './suite/graph.suite.ts';
import { handlesSuite } from './suite/handles.suite.ts';
import type { StoreHarness } from './suite/harness.suite.ts';
import { linesSuite } from './suite/lines.suite.ts';
import { listsSuite } from './suite/lists.suite.ts';
import { outsideSuite } from './suite/outside.suite.ts';
import { payloadsSuite } from './suite/payloads.suite.ts';
import { progressSuite } from './suite/progress.suite.ts';
import { pruneSuite } from './suite/prune.suite.ts';
import { queueSuite } from './suite/queue.suite.ts';
import { reuseSuite } from './suite/reuse.suite.ts';
import { submitSuite } from './suite/submit.suite.ts';
import { textsSuite } from './suite/texts.suite.ts';

export type { OpenStore, StoreHarness } from './suite/harness.suite.ts';
export { verifyStore } from './suite/verify.suite.ts';

/** What every store must do, whatever it is made of. */
export function storeSuite(name: string, harness: StoreHarness): void {
  describe(name, () => {
    submitSuite(harness);
    claimSuite(harness);
    attemptsSuite(harness);
    progressSuite(harness);
    outsideSuite(harness);
    awaySuite(harness);
    graphSuite(harness);
    controlSuite(harness);
    reuseSuite(harness);
    queueSuite(harness);
    linesSuite(harness);
    enginesSuite(harness);
    pruneSuite(harness);
    documentsSuite(harness);
    agentsSuite(harness);
    payloadsSuite(harness);
    eventsSuite(harness);
    commitSuite(harness);
    listsSuite(harness);
    textsSuite(harness);
    handlesSuite(harness);
  });
}
