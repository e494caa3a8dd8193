import { expect, it } from 'vitest';
import { loadGrpc } from './driver.ts';
import { statusOf } from './status.ts';

it.each([
  ['250', 250],
  ['0', 0],
  ['9'.repeat(30), 24 * 60 * 60 * 1000],
  ['-1', undefined],
  ['soon', undefined],
])('a service that asks to be left alone for %s ms is, for a day at most', async (asked, expected) => {
  const driver = await loadGrpc();
  const metadata = new driver.grpc.Metadata();
  metadata.set('grpc-retry-pushback-ms', asked);
  expect(statusOf({ code: 8, details: 'busy', metadata }, driver).retry_after_ms).toBe(expected);
});
