import { expect, it } from 'vitest';
import { quiet } from '../../rpc/testing/quiet.suite.ts';
import { manualTimers } from '../../rpc/websocket/manual-timers.suite.ts';
import { type Carrier, CarrierError } from '../carrier.ts';
import { sentences } from './sentences.ts';
import { VerificationZone } from './zone.ts';

const budget_ms = 1000;
const deadline_ms = 900_000;

it('one request that is never answered is given up, and sent again under its id', async () => {
  const timers = manualTimers();
  const bodies: string[] = [];
  const carrier: Carrier = {
    name: 'deaf at first',
    send: (body, { signal }) => {
      bodies.push(body);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const gone = new CarrierError('gone', { trouble: 'aborted', arrived: 'maybe' });
      signal.addEventListener('abort', () => reject(gone), { once: true });
      const { id } = JSON.parse(body) as { id: string };
      const result = { status: 'success', response_text: 'yes' };
      if (bodies.length > 1) resolve(JSON.stringify({ jsonrpc: '2.0', result, id }));
      return promise;
    },
    close: async () => {},
  };
  const zone = new VerificationZone({
    ...{ carrier, authorise: [], timers, logger: quiet.logger },
    clock: { wall: () => 0, monotonic: () => 0 },
    random: { next: () => 1, bytes: (count) => new Uint8Array(count) },
    options: {
      ...{ bot_token: 'xoxb-1', deadline_ms, request_bytes: 10_000, budget_ms, sentences },
      backoff: { first_ms: 50, longest_ms: 50 },
    },
  });
  const id = '6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d';
  const asked = { id, request: { channel: 'C1', text: 'hello', correlation_id: 'c-1' }, received_at: 0 };
  const reply = zone.ask(asked, { signal: new AbortController().signal });
  await expect.poll(() => bodies.length).toBe(1);
  const [alarm] = timers.waiting.filter((ms) => ms !== deadline_ms);
  expect(alarm).toBeGreaterThan(budget_ms);
  timers.pass(alarm ?? 0);
  await timers.set(50);
  timers.pass(50);
  expect(await reply).toEqual({ is: 'answered', text: 'yes' });
  expect(bodies).toEqual([bodies[0], bodies[0]]);
});
