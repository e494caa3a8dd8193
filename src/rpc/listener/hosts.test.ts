import { describe, expect, it } from 'vitest';
import { HostCheck } from './hosts.ts';

describe('the name a server is asked for by', () => {
  const check = new HostCheck(['Gleitzeit.example', 'other.example:8080']);
  const allows = (host: string | undefined) => check.allows(host, '192.0.2.5');

  it.each([
    'localhost',
    'LOCALHOST:8080',
    'app.localhost',
    '127.0.0.1:80',
    '127.1.2.3',
    '[::1]',
    '[::1]:8080',
    'gleitzeit.example',
    'GLEITZEIT.EXAMPLE:9',
    'other.example:8080',
    '192.0.2.5:8080',
  ])('may be %s', (host) => {
    expect(allows(host)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    'other.example',
    'other.example:80',
    '192.0.2.6',
    '[::2]',
    '[',
    'gleitzeit.example.evil.example',
    'evil.example:localhost',
  ])('may not be %s', (host) => {
    expect(allows(host)).toBe(false);
  });

  it('may be the IPv4 address where the socket says it as IPv6', () => {
    expect(check.allows('192.0.2.5', '::ffff:192.0.2.5')).toBe(true);
    expect(check.allows('[2001:db8::1]:80', '2001:db8::1')).toBe(true);
  });

  it('may be anything if that was asked for', () => {
    expect(new HostCheck(['*']).allows('evil.example', undefined)).toBe(true);
  });
});
