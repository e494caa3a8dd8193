import { describe, expect, it } from 'vitest';
import { createCipher } from '../store/cipher.ts';
import { callbackUrls, publicHosts } from './callback.ts';
import { readKeys } from './store.ts';

const cipher = createCipher(() => [Buffer.alloc(32, 7)]);

describe('where services call back', () => {
  it('is below the public address, whatever the id', () => {
    expect(callbackUrls('https://a.example/gleitzeit/', cipher)?.('t 1')).toBe(
      'https://a.example/gleitzeit/notify/t%201',
    );
    expect(callbackUrls('http://a.example:81', cipher)?.('t')).toBe('http://a.example:81/notify/t');
    expect(callbackUrls(undefined, cipher)).toBeUndefined();
  });

  it('is nowhere without a key, and says so at the start', () => {
    const where = { type: 'postgres', url: 'postgres://localhost/none' } as const;
    const keyless = createCipher(() => readKeys(where));
    expect(() => callbackUrls('https://a.example', keyless)).toThrow('server.public_url needs a key');
    const hint = expect.stringContaining('GLEITZEIT_SECRET_KEY');
    try {
      callbackUrls('https://a.example', keyless);
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'GLZ3010', details: { field: 'server.public_url', hint } });
    }
    expect(callbackUrls(undefined, keyless)).toBeUndefined();
  });

  it('is asked for by its name', () => {
    expect(publicHosts('https://a.example:8443/x')).toEqual(['a.example']);
    expect(publicHosts('http://[::1]:80')).toEqual(['::1']);
    expect(publicHosts(undefined)).toEqual([]);
  });
});
