import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json.ts';
import { readCard, wireOf } from './card.ts';

const read = (card: unknown) => readCard(card as Json);

const legacy = {
  name: 'Old',
  description: 'd',
  version: '3.2.1',
  protocolVersion: '0.3.0',
  url: 'http://old/rpc',
  preferredTransport: 'jsonrpc',
  additionalInterfaces: [
    { url: 'http://old/rpc', transport: 'JSONRPC' },
    { url: 'http://old/rest', transport: 'HTTP+JSON' },
    { transport: 'GRPC' },
  ],
  capabilities: { streaming: true, extensions: [{ uri: 'urn:x', required: true }, { uri: 'urn:y' }, {}] },
  supportsAuthenticatedExtendedCard: true,
  security: [{ oauth: [] }, { key: [] }],
  skills: [{ id: 's', name: 'S', description: 'x', tags: ['a'] }, { name: 'nameless' }, {}],
  defaultInputModes: ['text/plain'],
};

describe('a card', () => {
  it('of the old version tells its address at the top', () => {
    expect(read(legacy)).toEqual({
      name: 'Old',
      description: 'd',
      version: '3.2.1',
      interfaces: [
        { url: 'http://old/rpc', binding: 'JSONRPC', version: '0.3', said: '0.3.0' },
        { url: 'http://old/rest', binding: 'HTTP+JSON', version: '0.3', said: '0.3.0' },
      ],
      streaming: true,
      push_notifications: false,
      extended_card: true,
      extensions: [
        { uri: 'urn:x', required: true },
        { uri: 'urn:y', required: false },
      ],
      skills: [
        { id: 's', name: 'S', description: 'x', tags: ['a'] },
        { id: 'nameless', name: 'nameless' },
      ],
      input_modes: ['text/plain'],
      output_modes: [],
      security: ['oauth', 'key'],
    });
  });

  it('of the new version lists its interfaces, and so does one that is both', () => {
    const supportedInterfaces = [
      { url: 'http://new/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 'acme' },
      { url: 'http://new/old', protocolBinding: 'JSONRPC', protocolVersion: '0.3', tenant: '' },
      { protocolBinding: 'GRPC' },
    ];
    const interfaces = [
      { url: 'http://new/a2a', binding: 'JSONRPC', version: '1.0', said: '1.0', tenant: 'acme' },
      { url: 'http://new/old', binding: 'JSONRPC', version: '0.3', said: '0.3' },
    ];
    const capabilities = { pushNotifications: true, extendedAgentCard: true };
    const securityRequirements = [{ schemes: { oidc: { list: [] } } }, {}];
    const pure = { name: 'New', supportedInterfaces, capabilities, securityRequirements };
    expect(read(pure)).toMatchObject({
      interfaces,
      push_notifications: true,
      extended_card: true,
      security: ['oidc'],
    });
    expect(read({ ...legacy, supportedInterfaces }).interfaces).toEqual(interfaces);
    expect(read({ ...legacy, supportedInterfaces: [] }).interfaces[0]?.version).toBe('0.3');
  });

  it.each([
    ['0.2.5', '0.3'],
    ['0.2.6', '0.3'],
    ['0.3.0', '0.3'],
    ['0.3', '0.3'],
    ['', '0.3'],
    ['first', '0.3'],
    ['1.0', '1.0'],
    ['1.0.1', '1.0'],
    ['1.1', '1.0'],
    ['2.0', '1.0'],
  ])('of version %j is spoken to as %s', (said, wire) => {
    expect(wireOf(said)).toBe(wire);
  });

  it.each([[null], [[]], ['<html>'], [{}], [{ status: 'ok' }], [{ name: 5 }]])('is not %j', (value) => {
    expect(() => read(value)).toThrow(/jsonrpc-2\.0: the answer is no/);
  });

  it('may say hardly anything', () => {
    expect(read({ url: 'http://x/' })).toMatchObject({
      name: '',
      interfaces: [{ url: 'http://x/', binding: 'JSONRPC', version: '0.3', said: '' }],
    });
    expect(read({ name: 'n' }).interfaces).toEqual([]);
  });
});
