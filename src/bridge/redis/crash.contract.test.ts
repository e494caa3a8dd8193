import { afterAll, beforeAll } from 'vitest';
import { startRedis } from '../../../test/services/redis.ts';
import type { Restartable } from '../../../test/services/restartable.ts';
import { brokerCrashSuite } from '../broker.suite.ts';
import { realHarness } from '../suite/far-member.suite.ts';

let server: Restartable;
beforeAll(async () => {
  server = await startRedis();
}, 300_000);
afterAll(() => server.stop());

const harness = {
  ...realHarness('redis', () => server.url),
  outage_ms: 15_000,
  crash: () => server.crash(),
  restart: () => server.restart(),
  freeze: (frozen: boolean) => server.freeze(frozen),
};
brokerCrashSuite('Redis', () => harness);
