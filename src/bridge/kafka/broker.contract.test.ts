import { beforeAll } from 'vitest';
import { sharedService } from '../../../test/services/shared.ts';
import { brokerSuite } from '../broker.suite.ts';
import { realHarness } from '../suite/far-member.suite.ts';

let address = '';
beforeAll(async () => {
  address = await sharedService('kafka');
}, 300_000);

const harness = realHarness('kafka', () => address);
const traits = { partitions: true, tells_redelivery: false, lag_counts_open: true, silence_ms: 6000 };
brokerSuite('Kafka', () => harness, traits);
