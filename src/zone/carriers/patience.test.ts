import { describe, expect, it } from 'vitest';
import { manualTimers } from '../../rpc/websocket/manual-timers.suite.ts';
import { CarrierError, type CarrierErrorDetails } from '../carrier.ts';
import { sendPatiently } from './patience.ts';

const throttled: CarrierErrorDetails = { trouble: 'throttled', arrived: 'no' };
const retries = { most: 3, first_ms: 100, longest_ms: 1000 };

/** Fails like this so many times, each after the pauses that are waited for. */
function open(details: CarrierErrorDetails, failures = Number.POSITIVE_INFINITY) {
  const timers = manualTimers();
  const giving = new AbortController();
  const random = { next: () => 1, bytes: (count: number) => new Uint8Array(count) };
  const seen = { sent: 0 };
  const sent = sendPatiently({ retries, timers, random }, giving.signal, async () => {
    if (seen.sent++ < failures) throw new CarrierError('refused', details);
    return 'answered';
  }).catch((error: unknown) => error);
  const pass = async (ms: number) => {
    await timers.set(ms);
    timers.pass(ms);
  };
  return { timers, giving, seen, sent, pass };
}

describe('what certainly did not arrive', () => {
  it('is sent again as often as is said and no oftener, after pauses that grow', async () => {
    const { seen, sent, pass } = open(throttled);
    for (const ms of [100, 200, 400]) await pass(ms);
    expect(await sent).toMatchObject({ trouble: 'throttled' });
    expect(seen.sent).toBe(1 + retries.most);
  });

  it('is answered as soon as it comes through', async () => {
    const { sent, pass } = open(throttled, 1);
    await pass(100);
    expect(await sent).toBe('answered');
  });

  it('waits for as long as the service asks, within bounds', async () => {
    const { sent, pass } = open({ ...throttled, retry_after_ms: 700 }, 1);
    await pass(700);
    expect(await sent).toBe('answered');
    const long = open({ ...throttled, retry_after_ms: 60_000 }, 1);
    await long.pass(1000);
    expect(await long.sent).toBe('answered');
  });

  it('is not sent again once it is given up', async () => {
    const { giving, seen, sent, timers } = open(throttled);
    await timers.set(100);
    giving.abort();
    expect(await sent).toMatchObject({ trouble: 'throttled' });
    expect([seen.sent, timers.waiting]).toEqual([1, []]);
  });
});

it.each([
  { trouble: 'throttled', arrived: 'maybe' },
  { trouble: 'unauthenticated', arrived: 'no' },
  { trouble: 'too_large', arrived: 'no' },
] as const)('is sent once: $trouble, arrived: $arrived', async (details) => {
  const { seen, sent } = open(details);
  expect(await sent).toMatchObject(details);
  expect(seen.sent).toBe(1);
});
