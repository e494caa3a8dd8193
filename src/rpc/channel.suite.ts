import { describe } from 'vitest';
import { answersSuite } from './testing/channel-answers.suite.ts';
import { duplexSuite } from './testing/channel-duplex.suite.ts';
import { endsSuite } from './testing/channel-ends.suite.ts';
import { exchangeSuite } from './testing/channel-exchange.suite.ts';
import type { ChannelHarness } from './testing/channel-harness.suite.ts';

export type { ChannelHarness, OpenChannel } from './testing/channel-harness.suite.ts';
export { type PeerOut, type ScriptedPeer, scriptedPeer } from './testing/scripted-peer.suite.ts';

/** What every channel must do (C1–C8), whatever carries it. */
export function channelSuite(name: string, harness: ChannelHarness): void {
  describe(name, () => {
    answersSuite(harness);
    endsSuite(harness);
    if (harness.kind === 'duplex') duplexSuite(harness);
    else exchangeSuite(harness);
  });
}
