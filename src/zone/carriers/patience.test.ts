import { describe, expect, it } from 'vitest';
import type { Timers } from '../../core/ports/clock.ts';
import { CarrierError, type CarrierErrorDetails } from '../carrier.ts';
import { type Retries, sendPatiently, waitBefore } from './patience.ts';

const retries: Retries = { most: 3, first_ms: 100, longest_ms: 1000 };
const throttled = (retry_after_ms?: number) =>
  new CarrierError('slower', {
    ...{ trouble: 'throttled', arrived: 'no' },
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  });

/** Sends what fails so often in these ways; time passes at once. */
async function sending(failures: readonly CarrierError[], signal = new AbortController().signal) {
  const waits: number[] = [];
  let sent = 0;
  const timers: Timers = {
    after: (ms, call) => {
      waits.push(ms);
      const timer = setImmediate(call);
      return () => clearImmediate(timer);
    },
    soon: (call) => void setImmediate(call),
  };
  const send = async () => {
    const failure = failures[sent++];
    if (failure !== undefined) throw failure;
    return 'brought';
  };
  const random = { next: () => 0, bytes: () => new Uint8Array() };
  const said = await sendPatiently({ retries, timers, random }, signal, send).catch(
    (thrown: CarrierError) => thrown.message,
  );
  return { said, sent, waits };
}

describe('patience', () => {
  it('sends as often again as it is told, and once in any case', async () => {
    const away = [throttled(), throttled(), throttled()];
    expect(await sending(away)).toEqual({ said: 'brought', sent: 4, waits: [50, 100, 200] });
    expect(await sending([...away, throttled()])).toMatchObject({ said: 'slower', sent: 4 });
  });

  it('waits as long as it is asked to, but no longer than it would at most', async () => {
    expect((await sending([throttled(10), throttled(700), throttled(5000)])).waits).toEqual([50, 700, 1000]);
  });

  it.each<[string, CarrierErrorDetails]>([
    ['may have arrived', { trouble: 'unreachable', arrived: 'maybe' }],
    ['would be refused again', { trouble: 'unauthenticated', arrived: 'no' }],
  ])('sends nothing again that %s', async (_, details) => {
    expect(await sending([new CarrierError('no', details)])).toEqual({ said: 'no', sent: 1, waits: [] });
  });

  it('ends with its signal', async () => {
    expect(await sending([throttled()], AbortSignal.abort())).toMatchObject({ said: 'slower', sent: 1 });
  });

  it('doubles, up to its bound, and leaves the upper half to chance', () => {
    expect([0, 1, 2, 3, 4, 50].map((again) => waitBefore(again, retries, 0))).toEqual([
      ...[50, 100, 200, 400, 500, 500],
    ]);
    expect(waitBefore(0, retries, 1)).toBe(100);
  });
});
