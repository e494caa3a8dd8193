import { describe, expect, it } from 'vitest';
import { addressOf } from './address.ts';

describe('the address of a server', () => {
  it.each([
    ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/rpc', 'ws://127.0.0.1:8000/rpc'],
    ['http://127.0.0.1:8000/', 'http://127.0.0.1:8000/rpc', 'ws://127.0.0.1:8000/rpc'],
    ['http://127.0.0.1:8000/rpc', 'http://127.0.0.1:8000/rpc', 'ws://127.0.0.1:8000/rpc'],
    ['https://a.example/gleitzeit/', 'https://a.example/gleitzeit/rpc', 'wss://a.example/gleitzeit/rpc'],
    ['wss://a.example', 'https://a.example/rpc', 'wss://a.example/rpc'],
    ['http://[::1]:8000?x=1#y', 'http://[::1]:8000/rpc', 'ws://[::1]:8000/rpc'],
  ])('%s', (given, http, socket) => {
    expect(addressOf(given)).toEqual({ http, socket });
  });

  it.each(['', 'localhost:8000', '/rpc', 'ftp://a/', 'http://', 'file:///etc'])('is not %j', (given) => {
    expect(() => addressOf(given)).toThrow(/must be the address of a server/);
  });

  it('carries no password, and the error does not repeat it', () => {
    expect(() => addressOf('http://me:hidden@a.example')).toThrow(/must not carry/);
    expect(() => addressOf('http://me:hidden@a.example')).not.toThrow(/hidden/);
  });
});
