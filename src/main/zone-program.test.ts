import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { quiet } from '../rpc/testing/quiet.suite.ts';
import type { Carrier } from '../zone/carrier.ts';
import { sentences } from '../zone/verification/sentences.ts';
import { type VerificationZoneOptions, verificationZone } from './zone-program.ts';

function open(limits: Pick<VerificationZoneOptions, 'per_user' | 'per_channel'>) {
  const carrier: Carrier = {
    name: 'yes',
    send: async (body) => {
      const { id } = JSON.parse(body) as { id: string };
      return JSON.stringify({ jsonrpc: '2.0', id, result: { status: 'success', response_text: 'yes' } });
    },
    close: async () => {},
  };
  const zone = verificationZone({ carrier, bot_token: 'xoxb-1', logger: quiet.logger, ...limits });
  return async (user_id: string, channel: string) => {
    const request = { channel, user_id, text: 'hello', correlation_id: 'c-1' };
    return (await zone.ask({ id: randomUUID(), received_at: Date.now(), request })).text;
  };
}

const two = { requests: 2, per_ms: 3_600_000 };

describe('how much a verification zone is asked', () => {
  it('by one user, wherever', async () => {
    const ask = open({ per_user: two });
    expect([await ask('U1', 'C1'), await ask('U1', 'C2'), await ask('U1', 'C3')]).toEqual([
      ...['yes', 'yes', sentences.too_many],
    ]);
    expect(await ask('U2', 'C1')).toBe('yes');
  });

  it('in one channel, whoever asks', async () => {
    const ask = open({ per_channel: two });
    expect([await ask('U1', 'C1'), await ask('U2', 'C1'), await ask('U3', 'C1')]).toEqual([
      ...['yes', 'yes', sentences.channel_busy],
    ]);
    expect(await ask('U3', 'C2')).toBe('yes');
  });

  it('is as much as anybody likes where nothing is said', async () => {
    const ask = open({});
    const said = await Promise.all(Array.from({ length: 200 }, () => ask('U1', 'C1')));
    expect(new Set(said)).toEqual(new Set(['yes']));
  });

  it.each([
    [{ requests: 0, per_ms: 1 }, 'per_user.requests'],
    [{ requests: 1, per_ms: 0 }, 'per_user.per_ms'],
  ])('cannot be %j', (per_user, field) => {
    expect(() => open({ per_user })).toThrow(field);
  });
});
