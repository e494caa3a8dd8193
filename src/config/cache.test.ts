import { describe, expect, it } from 'vitest';
import { describeConfig } from './describe.ts';
import { load, mistakes } from './testing.suite.ts';

describe('the cache of results', () => {
  it('is not there unless somebody names a server', async () => {
    const { cache } = await load('');
    expect(cache).toEqual({ ttl: 600, prefix: 'gleitzeit:result:' });
  });

  it('is told by the file or by variables, and its password is shown nowhere', async () => {
    const env = { GLEITZEIT_CACHE_URL: 'redis://user:in-the-url@cache:6379' };
    const config = await load('cache: {ttl: 1h, password: hidden-one}', { env });
    expect(config.cache).toMatchObject({ url: env.GLEITZEIT_CACHE_URL, ttl: 3600, password: 'hidden-one' });
    const shown = JSON.stringify(describeConfig(config));
    expect(shown).not.toMatch(/hidden-one|in-the-url/);
  });

  it('is a Redis, for a day at most', async () => {
    expect((await mistakes('cache: {url: "http://cache"}')).join()).toMatch(/redis:\/\/ or rediss:\/\//);
    expect((await mistakes('cache: {ttl: 2d}')).join()).toMatch(/ttl/);
  });
});
