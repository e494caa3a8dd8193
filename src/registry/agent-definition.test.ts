import { describe, expect, it } from 'vitest';
import { agentDefaults, taskRetryOf } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { parseAgent } from './agent-definition.ts';

const least = { name: 'Writer', url: 'http://writer:8080' };

/** Field → what is wrong with it. */
function problemsOf(given: unknown): Record<string, string> {
  try {
    parseAgent(given);
  } catch (thrown) {
    const { details } = GleitzeitError.from(thrown).details;
    const { problems } = details as unknown as { problems: { field: string; reason: string }[] };
    return Object.fromEntries(problems.map(({ field, reason }) => [field, reason]));
  }
  return {};
}

describe('an entry', () => {
  it('needs a name and an address; the rest has defaults', () => {
    expect(parseAgent(least)).toEqual({
      ...least,
      ...agentDefaults,
      description: null,
      protocol_config: {},
      implements: [],
      auth_config: { type: 'none' },
    });
    expect(problemsOf({})).toEqual({ '/name': 'is missing', '/url': 'is missing' });
    expect(problemsOf([])).toEqual({ '': 'must be an object, not array' });
  });

  it('takes null for what is left out, and times with their units', () => {
    const { timeout, retry_config } = parseAgent({
      ...least,
      timeout: '2m',
      retry_config: null,
      auth_config: null,
    });
    expect([timeout, retry_config]).toEqual([120_000, agentDefaults.retry_config]);
    expect(taskRetryOf(parseAgent({ ...least, retry_config: { max_retries: 0 } })).max_attempts).toBe(1);
  });

  it('is asked how it is only where that is said', () => {
    const health = (health_config: unknown) => parseAgent({ ...least, health_config }).health_config;
    expect([health(undefined), health(null)]).toEqual([undefined, undefined]);
    expect(health({})).toEqual({ every_seconds: 10, timeout_seconds: 2 });
    expect(health({ every_seconds: 0.5 })).toEqual({ every_seconds: 0.5, timeout_seconds: 2 });
  });

  it('says how its calls are held back and spread only where it is given', () => {
    const pool = {
      limits: { concurrency: 4, rate: '10/s', burst: 2 },
      ...{ weight: 2, tier: 1, zone: 'eu', models: ['small', 'large'] },
    };
    expect(parseAgent({ ...least, ...pool })).toMatchObject(pool);
    const none = { limits: null, weight: null, tier: null, zone: null, models: null };
    expect(parseAgent({ ...least, ...none })).toEqual(parseAgent(least));
    expect(Object.keys(parseAgent(least))).not.toContain('limits');
    expect(parseAgent({ ...least, limits: { rate: '5/min', burst: null } }).limits).toEqual({
      rate: '5/min',
    });
  });

  const wrong: readonly [given: object, field: string, reason: RegExp][] = [
    [{ name: 7 }, '/name', /must be text/],
    [{ name: 'a'.repeat(256) }, '/name', /longer than 255/],
    [{ name: ' a' }, '/name', /begin or end/],
    [{ name: 'a@b' }, '/name', /@/],
    [{ url: 'nowhere' }, '/url', /no address/],
    [{ url: 'file:///etc/passwd' }, '/url', /must begin with http/],
    [{ url: 'http://user:pass-word@a' }, '/url', /names a user/],
    [{ url: 5 }, '/url', /must be text/],
    [{ url: `http://${'a'.repeat(2100)}` }, '/url', /longer than 2048/],
    [{ url: 'http://a/\u0000' }, '/url', /control characters/],
    [{ url: 'http://a/\ud800' }, '/url', /half a character/],
    [{ description: 'a\u0000' }, '/description', /NUL/],
    [{ description: 'a\ud800' }, '/description', /half a character/],
    [{ description: 5 }, '/description', /must be text/],
    [{ description: 'a'.repeat(5000) }, '/description', /longer than 4096/],
    [{ protocol: '' }, '/protocol', /must not be empty/],
    [{ protocol_config: [] }, '/protocol_config', /must be an object/],
    [{ protocol_config: { url: 'http://b' } }, '/protocol_config/url', /stands in url/],
    [{ protocol_config: { headers: { a: { b: 1 } } } }, '/protocol_config/headers/a', /must be text/],
    [{ protocol_config: { headers: { a: 'b\nc' } } }, '/protocol_config/headers/a', /no header can carry/],
    [{ auth_config: { type: 'bearer', token: 'a\nb' } }, '/auth_config/token', /no header can carry/],
    [{ protocol_config: { auth: {} } }, '/protocol_config/auth', /stands in auth_config/],
    [{ protocol_config: { a: { $sealed: 'x' } } }, '/protocol_config', /not allowed as a key/],
    [{ protocol_config: { a: 'a'.repeat(70_000) } }, '/protocol_config', /more than 65536/],
    [{ implements: 'web-search/v1' }, '/implements', /must be a list/],
    [{ implements: ['a/v1', 5] }, '/implements/1', /must be text/],
    [{ auth_config: 'token' }, '/auth_config', /must be an object/],
    [{ auth_config: { type: 'bare' } }, '/auth_config/type', /must be one of none, bearer/],
    [{ auth_config: { type: 'bearer' } }, '/auth_config/token', /is missing/],
    [{ auth_config: { type: 'bearer', token: 5 } }, '/auth_config/token', /must be text/],
    [{ auth_config: { type: 'bearer', token: 't', tokn: 't' } }, '/auth_config/tokn', /unknown key/],
    [{ auth_config: { type: 'api_key', value: 'v' } }, '/auth_config/header', /is missing/],
    [{ auth_config: { type: 'mtls', cert: 'a'.repeat(70_000), key: 'k' } }, '/auth_config/cert', /longer/],
    [{ timeout: 0 }, '/timeout', /from 1 ms to a day/],
    [{ timeout: 'soon' }, '/timeout', /./],
    [{ retry_config: { max_retries: -1 } }, '/retry_config/max_retries', /whole number from 0/],
    [{ retry_config: { retries: 1 } }, '/retry_config/retries', /unknown key/],
    [{ retry_config: 3 }, '/retry_config', /must be an object/],
    [{ circuit_breaker_config: { enabled: 'no' } }, '/circuit_breaker_config/enabled', /true or false/],
    [
      { circuit_breaker_config: { failure_rate_threshold: 2 } },
      '/circuit_breaker_config/failure_rate_threshold',
      /from 0.01 to 1/,
    ],
    [{ health_config: { every_seconds: 0 } }, '/health_config/every_seconds', /from 0.1/],
    [{ health_config: { method: 'ping' } }, '/health_config/method', /unknown key/],
    [{ limits: 7 }, '/limits', /must be an object/],
    [{ limits: { concurrency: 0 } }, '/limits/concurrency', /whole number from 1/],
    [{ limits: { rate: 10 } }, '/limits/rate', /such as 10\/s/],
    [{ limits: { rate: '10/d' } }, '/limits/rate', /such as 10\/s/],
    [{ limits: { rate: '0.0001/h' } }, '/limits/rate', /from 0.001\/h/],
    [{ limits: { burst: 3 } }, '/limits/burst', /without a rate/],
    [{ limits: { per_key: {} } }, '/limits/per_key', /unknown key/],
    [{ weight: 0 }, '/weight', /whole number from 1/],
    [{ tier: 1.5 }, '/tier', /whole number from 0/],
    [{ zone: '' }, '/zone', /must not be empty/],
    [{ models: 'small' }, '/models', /must be a list/],
    [{ models: [] }, '/models', /from 1 to/],
    [{ models: ['small', 7] }, '/models/1', /must be text/],
    [{ urll: 'http://a' }, '/urll', /unknown key/],
  ];
  it.each(wrong)('%j is refused', (given, field, reason) => {
    expect(problemsOf({ ...least, ...given })[field]).toMatch(reason);
  });

  it('says what is wrong with a secret without showing it', () => {
    const given = {
      ...least,
      auth_config: { type: 'bearer', token: 'secret-token-1', username: 'secret-2' },
    };
    expect(() => parseAgent(given)).toThrow(GleitzeitError);
    expect(JSON.stringify(problemsOf(given))).not.toMatch(/secret-token-1|secret-2/);
  });
});
