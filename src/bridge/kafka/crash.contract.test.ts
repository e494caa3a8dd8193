import { afterAll, beforeAll } from 'vitest';
import { startKafka } from '../../../test/services/kafka.ts';
import type { Restartable } from '../../../test/services/restartable.ts';
import { brokerCrashSuite } from '../broker.suite.ts';
import { realHarness } from '../suite/far-member.suite.ts';

let server: Restartable;
beforeAll(async () => {
  server = await startKafka();
}, 300_000);
afterAll(() => server.stop());

const harness = {
  ...realHarness('kafka', () => server.url),
  outage_ms: 15_000,
  crash: () => server.crash(),
  restart: () => server.restart(),
  freeze: (frozen: boolean) => server.freeze(frozen),
};
brokerCrashSuite('Kafka', () => harness);
