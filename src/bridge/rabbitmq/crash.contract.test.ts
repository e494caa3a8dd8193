import { afterAll, beforeAll } from 'vitest';
import { startRabbit } from '../../../test/services/rabbitmq.ts';
import type { Restartable } from '../../../test/services/restartable.ts';
import { brokerCrashSuite } from '../broker.suite.ts';
import { realHarness } from '../suite/far-member.suite.ts';

let server: Restartable;
beforeAll(async () => {
  server = await startRabbit();
}, 300_000);
afterAll(() => server.stop());

const harness = {
  ...realHarness('rabbitmq', () => server.url),
  outage_ms: 15_000,
  crash: () => server.crash(),
  restart: () => server.restart(),
  freeze: (frozen: boolean) => server.freeze(frozen),
};
brokerCrashSuite('RabbitMQ', () => harness);
