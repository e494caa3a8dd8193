import { beforeAll } from 'vitest';
import { sharedService } from '../../../test/services/shared.ts';
import { brokerSuite } from '../broker.suite.ts';
import { realHarness } from '../suite/far-member.suite.ts';

let address = '';
beforeAll(async () => {
  address = await sharedService('rabbitmq');
}, 300_000);

const harness = realHarness('rabbitmq', () => address);
const traits = { partitions: false, tells_redelivery: true, lag_counts_open: false, silence_ms: 6000 };
brokerSuite('RabbitMQ', () => harness, traits);
