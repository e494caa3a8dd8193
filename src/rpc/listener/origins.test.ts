import { describe, expect, it } from 'vitest';
import { OriginCheck } from './origins.ts';

describe('whose page asks', () => {
  const check = new OriginCheck(['https://Dashboard.example/']);
  const judge = (headers: Record<string, string>, secure = false) =>
    check.judge({ host: 'localhost:8080', ...headers }, secure);

  it.each([
    [{}, 'no_page'],
    [{ origin: 'http://localhost:8080' }, 'own'],
    [{ origin: 'http://LOCALHOST:8080' }, 'own'],
    [{ origin: 'https://localhost:8080' }, 'foreign'],
    [{ origin: 'http://localhost:8081' }, 'foreign'],
    [{ origin: 'http://localhost' }, 'foreign'],
    [{ origin: 'https://dashboard.example' }, 'allowed'],
    [{ origin: 'http://dashboard.example' }, 'foreign'],
    [{ origin: 'https://dashboard.example.evil.example' }, 'foreign'],
    [{ origin: 'null' }, 'foreign'],
    [{ origin: '' }, 'foreign'],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 'foreign'],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 'no_page'],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, 'no_page'],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 'no_page'],
  ])('%o is %s', (headers, verdict) => {
    expect(judge(headers)).toBe(verdict);
  });

  it('is told apart by the scheme', () => {
    expect(judge({ origin: 'https://localhost:8080' }, true)).toBe('own');
    expect(judge({ origin: 'http://localhost:8080' }, true)).toBe('foreign');
  });
});
