import { describe, expect, it, onTestFinished } from 'vitest';
import { openProvider, outcomeOf, type ServiceParts, startService } from './service.suite.ts';
import { stage } from './stage.suite.ts';

const inBody = (secrets: () => string) => ({ auth: { style: 'body' }, parts: { secrets } });

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
    const { call, calls } = await stage(
      { token },
      inBody(() => secret),
    );
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

describe('a token that is asked for with a new secret', () => {
  it('is asked for once, also where the answer to the old one comes meanwhile', async () => {
    let secret = 'old';
    const answers = { old: Promise.withResolvers<void>(), new: Promise.withResolvers<void>() };
    const both = Promise.withResolvers<void>();
    const token: ServiceParts['token'] = async ({ body }) => {
      const of = body.includes('client_secret=old') ? 'old' : 'new';
      if (of === 'new') both.resolve();
      await answers[of].promise;
      return { body: { access_token: `of-${of}`, token_type: 'Bearer', expires_in: 3600 } };
    };
    const { call, tokens } = await stage(
      { token },
      inBody(() => secret),
    );
    const early = call();
    secret = 'new';
    const late = [call()];
    await both.promise;
    answers.old.resolve();
    expect(await early).toBe('in');
    late.push(call());
    answers.new.resolve();
    expect(await Promise.all(late)).toEqual(['in', 'in']);
    expect(tokens).toHaveLength(2);
  });
});

describe('an endpoint that asks to be left alone for long', () => {
  it('is asked again after half a minute', async () => {
    const token = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    const { call, tokens, pass } = await stage({ token });
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
    onTestFinished(service.stop);
    const auth = { type: 'bearer', token: '${secrets.s}' };
    const provider = openProvider({ url: service.url, auth }, { secrets: () => ' Qx-padded-7w ' });
    onTestFinished(async () => provider.close?.());
    const outcome = await outcomeOf(provider);
    expect(service.calls[0]?.headers.authorization).toBe('Bearer Qx-padded-7w');
    expect(outcome).toContain('no entry for');
    expect(outcome).not.toContain('Qx-padded');
  });
});
