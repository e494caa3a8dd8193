import { describe, expect, it } from 'vitest';
import { parseTask } from './definition.ts';
import { defaultRetry } from './retry.ts';
import { thrownBy } from './thrown.suite.ts';

const minimal = { protocol: 'web-search/v1', method: 'search' };
const refusal = (task: unknown) => thrownBy(() => parseTask(task));
const problem = (extra: object) => refusal({ ...minimal, ...extra }).details;

describe('retry_config', () => {
  const retry = (retry_config: unknown) => parseTask({ ...minimal, retry_config }).retry_config;

  it('goes over the defaults', () => {
    expect(retry({})).toStrictEqual(defaultRetry);
    const all = {
      max_attempts: 1_000,
      backoff: 'linear',
      initial_delay: '250ms',
      multiplier: 1,
      max_delay: 'PT5M',
      jitter: 1,
      max_total: '1h',
      retry_on: ['timeout', 'store', 'timeout'],
    };
    expect(retry(all)).toStrictEqual({
      ...all,
      initial_delay: 0.25,
      max_delay: 300,
      max_total: 3_600,
      retry_on: ['timeout', 'store'],
    });
    expect(
      retry({ max_attempts: 1, initial_delay: 0, max_delay: 0, jitter: 0, max_total: null, retry_on: [] }),
    ).toStrictEqual({
      ...defaultRetry,
      max_attempts: 1,
      initial_delay: 0,
      max_delay: 0,
      jitter: 0,
      retry_on: [],
    });
    expect(retry({ multiplier: 1_000 }).multiplier).toBe(1_000);
    expect(retry({ max_total: 0 }).max_total).toBe(0);
  });

  it.each([
    [3, '', 'must be an object, not number'],
    [null, '', 'must be an object, not null'],
    [{ max_attempt: 3 }, '/max_attempt', 'unknown key "max_attempt"'],
    [{ max_attempts: 0 }, '/max_attempts', 'must be a whole number from 1 to 1000, not 0'],
    [{ max_attempts: 1_001 }, '/max_attempts', 'must be a whole number from 1 to 1000, not 1001'],
    [{ max_attempts: 1.5 }, '/max_attempts', 'must be a whole number from 1 to 1000, not 1.5'],
    [{ max_attempts: '3' }, '/max_attempts', 'must be a whole number from 1 to 1000, not "3"'],
    [{ max_attempts: null }, '/max_attempts', 'must be a whole number from 1 to 1000, not null'],
    [{ max_attempts: Number.NaN }, '/max_attempts', 'must be a whole number from 1 to 1000, not NaN'],
    [{ multiplier: 0.9 }, '/multiplier', 'must be a number from 1 to 1000, not 0.9'],
    [{ multiplier: 1_001 }, '/multiplier', 'must be a number from 1 to 1000, not 1001'],
    [{ jitter: 1.1 }, '/jitter', 'must be a number from 0 to 1, not 1.1'],
    [{ jitter: -0.1 }, '/jitter', 'must be a number from 0 to 1, not -0.1'],
    [{ jitter: true }, '/jitter', 'must be a number from 0 to 1, not boolean'],
    [{ initial_delay: -1 }, '/initial_delay', 'a duration cannot be negative'],
    [{ max_delay: Number.POSITIVE_INFINITY }, '/max_delay', 'a duration is at most ten years'],
    [{ max_delay: null }, '/max_delay', 'a duration is a number or text, not null'],
    [{ max_total: 'soon' }, '/max_total', '"soon" is no duration'],
    [{ backoff: 'exponentil' }, '/backoff', 'must be one of fixed, linear, exponential, not "exponentil"'],
    [{ retry_on: 'timeout' }, '/retry_on', 'must be a list, not string'],
    [{ retry_on: ['timeut'] }, '/retry_on', '"timeut" is no class of errors'],
    [{ retry_on: [1] }, '/retry_on', '1 is no class of errors'],
  ])('%o is refused', (value, field, reason) => {
    expect(problem({ retry_config: value })).toMatchObject({ field: `/retry_config${field}`, reason });
  });

  it('knows the classes of errors', () => {
    expect(problem({ retry_config: { retry_on: ['timeut'] } }).hint).toBe('did you mean "timeout"?');
    const all = 'invalid, server, transport, timeout, rate_limit, rejected, interrupted, cancelled, store';
    expect(problem({ retry_config: { retry_on: ['zzz'] } }).hint).toBe(`one of: ${all}`);
    expect(problem({ retry_config: { retry_on: {} } }).hint).toBe(`of: ${all}`);
    expect(problem({ retry_config: { max_attempt: 3 } }).hint).toBe('did you mean "max_attempts"?');
  });
});
