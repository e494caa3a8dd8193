import { describe, expect, it } from 'vitest';
import { endpointOf } from './endpoints.ts';

describe('the address in a card', () => {
  it.each([
    ['the same host', 'https://agent.example/rpc', 'https://agent.example/', 'https://agent.example/rpc'],
    ['a path alone', '/rpc?x=1', 'https://agent.example/base/', 'https://agent.example/rpc?x=1'],
    [
      'localhost, seen from elsewhere',
      'http://localhost:9999/rpc',
      'https://agent.example/',
      'https://agent.example/rpc',
    ],
    ['0.0.0.0, seen from elsewhere', 'http://0.0.0.0:80/', 'http://10.0.0.7:8001/', 'http://10.0.0.7:8001/'],
    [
      'without TLS behind a proxy',
      'http://agent.example/rpc',
      'https://agent.example/',
      'https://agent.example/rpc',
    ],
    [
      'another name of this machine',
      'http://localhost:8001/rpc',
      'http://127.0.0.1:8001/',
      'http://127.0.0.1:8001/rpc',
    ],
    [
      'another port of this machine',
      'http://localhost:8002/rpc',
      'http://127.0.0.1:8001/',
      'http://localhost:8002/rpc',
    ],
    ['another host', 'https://other.example/rpc', 'https://agent.example/', 'https://other.example/rpc'],
    [
      'another port of the host',
      'https://agent.example:8443/',
      'https://agent.example/',
      'https://agent.example:8443/',
    ],
    [
      'a key in the query is kept where the host is put in',
      'http://localhost/rpc',
      'https://a.example/?key=1',
      'https://a.example/rpc?key=1',
    ],
  ])('%s', (_, text, home, expected) => {
    expect(endpointOf(text, new URL(home))?.href).toBe(expected);
  });

  it.each(['grpc://agent.example', 'http://[nonsense', 'javascript:alert(1)'])('%s is none', (text) => {
    expect(endpointOf(text, new URL('https://agent.example/'))).toBeNull();
  });
});
