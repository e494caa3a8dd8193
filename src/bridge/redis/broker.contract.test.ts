import { beforeAll } from 'vitest';
import { sharedService } from '../../../test/services/shared.ts';
import { brokerSuite } from '../broker.suite.ts';
import { realHarness } from '../suite/far-member.suite.ts';

let address = '';
beforeAll(async () => {
  address = await sharedService('redis');
}, 300_000);

const harness = realHarness('redis', () => address);
const traits = { partitions: false, tells_redelivery: true, lag_counts_open: true, silence_ms: 6000 };
brokerSuite('Redis', () => harness, traits);
