import { afterEach, describe, expect, it } from 'vitest';
import { handClock, openProvider, outcomeOf, type ServiceParts, startService } from './service.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function stage(service: ServiceParts, secrets: () => string) {
  const started = await startService(service);
  ends.push(started.stop);
  const { clock, pass } = handClock();
  const { url, token_url } = started;
  const auth = { type: 'oauth2', token_url, client_id: 'me', client_secret: '${secrets.s}', style: 'body' };
  const provider = openProvider({ url, auth }, { clock, secrets });
  ends.push(async () => provider.close?.());
  return { ...started, pass, call: () => outcomeOf(provider) };
}

describe('a secret that is changed while a token is asked for with the old one', () => {
  it('is asked with at once, and its token is the one that is shown from then on', async () => {
    let secret = 'old';
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const token: ServiceParts['token'] = async ({ body }) => {
      const old = body.includes('client_secret=old');
      asked.resolve();
      if (old) await held.promise;
      return { body: { access_token: old ? 'of-old' : 'of-new', token_type: 'Bearer', expires_in: 3600 } };
    };
    const { call, calls } = await stage({ token }, () => secret);
    const shown = () => calls.map(({ headers }) => headers.authorization);
    const early = call();
    await asked.promise;
    secret = 'new';
    expect(await call()).toBe('in');
    expect(shown()).toEqual(['Bearer of-new']);
    held.resolve();
    expect(await early).toBe('in');
    expect(await call()).toBe('in');
    expect(shown()).toEqual(['Bearer of-new', 'Bearer of-old', 'Bearer of-new']);
  });
});

describe('an endpoint that asks to be left alone for long', () => {
  it('is asked again after half a minute', async () => {
    const token = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    const { call, tokens, pass } = await stage({ token }, () => 's');
    await call();
    pass(29_999);
    await call();
    expect(tokens).toHaveLength(1);
    pass(1);
    await call();
    expect(tokens).toHaveLength(2);
  });
});

describe('a secret with spaces around it', () => {
  it('is hidden also without them, as it is sent', async () => {
    const service = await startService({ door: () => 403 });
    ends.push(service.stop);
    const auth = { type: 'bearer', token: '${secrets.s}' };
    const provider = openProvider({ url: service.url, auth }, { secrets: () => ' Qx-padded-7w ' });
    ends.push(async () => provider.close?.());
    const outcome = await outcomeOf(provider);
    expect(service.calls[0]?.headers.authorization).toBe('Bearer Qx-padded-7w');
    expect(outcome).toContain('no entry for');
    expect(outcome).not.toContain('Qx-padded');
  });
});
