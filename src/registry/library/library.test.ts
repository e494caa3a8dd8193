import { describe, expect, it } from 'vitest';
import { parseProtocol } from '../../core/protocol.ts';
import { createProtocols } from '../protocols.ts';
import { libraryProtocols } from './index.ts';

describe('the library of protocols', () => {
  it('has every protocol under its own name and version', () => {
    const names = [...libraryProtocols().keys()];
    expect(names).toEqual([
      'web-search/v1',
      'search/v1',
      'llm/v1',
      'vision/v1',
      'audio/v1',
      'mcp/v1',
      'python/v1',
      'agent/v1',
    ]);
    for (const [name, definition] of libraryProtocols())
      expect(definition).toMatchObject({ name, version: 'v1' });
  });

  it('holds what the registry demands, its examples included', () => {
    const protocols = createProtocols();
    for (const definition of libraryProtocols().values()) protocols.register(definition);
    expect(protocols.list()).toHaveLength(libraryProtocols().size);
  });

  it('can be extended without being written out, and a protocol of that name in use comes first', () => {
    const protocols = createProtocols();
    protocols.register(parseProtocol({ name: 'mine/v1', extends: 'llm/v1', methods: { rate: {} } }));
    const methods = () => Object.keys(protocols.get('mine/v1')?.methods ?? {}).sort();
    expect(methods()).toEqual(['chat', 'generate', 'rate']);
    protocols.register(parseProtocol({ name: 'llm/v1', methods: { other: {} } }));
    expect(methods()).toEqual(['other', 'rate']);
    protocols.unregister('llm/v1');
    expect(methods()).toEqual(['chat', 'generate', 'rate']);
  });

  it('has the protocol of agents, which is known everywhere and can be no other', () => {
    const protocols = createProtocols();
    const call = { protocol: 'agent/v1', method: 'send', params: { any: ['thing'] } };
    expect(protocols.list()).toEqual([]);
    expect(protocols.has('agent/v1')).toBe(true);
    expect(protocols.get('agent/v1')).toBe(protocols.get('agent/v1'));
    expect(protocols.get('agent/v1')?.methods).toHaveProperty('send');
    expect(protocols.checkParams({ ...call, stage: 'final' })).toEqual({ any: ['thing'] });
    protocols.checkResult({ protocol: 'agent/v1', method: 'send', result: { text: 5, more: null } });
    expect(() => protocols.checkParams({ ...call, method: 'tell', stage: 'final' })).toThrow(
      expect.objectContaining({ code: 'GLZ1004' }),
    );
    const another = parseProtocol({ name: 'agent/v1', methods: { send: {} } });
    expect(() => protocols.register(another)).toThrow(
      expect.objectContaining({ code: 'GLZ1008', message: expect.stringContaining('is built in') }),
    );
    const same = libraryProtocols().get('agent/v1');
    if (same !== undefined) protocols.register(same);
    expect(protocols.list().map(({ name }) => name)).toEqual(['agent/v1']);
    protocols.unregister('agent/v1');
    expect(protocols.has('agent/v1')).toBe(true);
  });

  it('describes every protocol and every method', () => {
    for (const { description, title, methods } of libraryProtocols().values())
      for (const said of [description, title, ...Object.values(methods).map((method) => method.description)])
        expect(said).toMatch(/\w/);
  });
});
