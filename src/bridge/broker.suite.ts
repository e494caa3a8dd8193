import { describe } from 'vitest';
import { crashSuite } from './suite/crash.suite.ts';
import { deliverySuite } from './suite/delivery.suite.ts';
import { flowSuite } from './suite/flow.suite.ts';
import { groupsSuite } from './suite/groups.suite.ts';
import type { BrokerHarness, BrokerTraits, CrashHarness } from './suite/harness.suite.ts';
import { newsSuite } from './suite/news.suite.ts';

/** What every broker must do. */
export function brokerSuite(name: string, harness: () => BrokerHarness, traits: BrokerTraits): void {
  describe(`${name} as a broker`, () => {
    deliverySuite(harness, traits);
    flowSuite(harness);
    newsSuite(harness);
    groupsSuite(harness, traits);
  });
}

/** What every broker must do when it is killed: for one that nobody else uses. */
export function brokerCrashSuite(name: string, harness: () => CrashHarness): void {
  describe(`${name} as a broker`, () => crashSuite(harness));
}
