import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { methodEntries } from './methods.ts';
import { openRpcDocument } from './openrpc.ts';

/** Its types do not hold under our settings, so they are said here. */
const tools = createRequire(import.meta.url)('@open-rpc/schema-utils-js') as {
  validateOpenRPCDocument(document: object): true | Error;
  parseOpenRPCDocument(document: object): Promise<{ methods: unknown[] }>;
};
const document = openRpcDocument({ version: '1.2.3', url: 'http://127.0.0.1:8000/rpc' });

describe('the OpenRPC document', () => {
  it('is valid by the judgement of OpenRPC itself', () => {
    expect(tools.validateOpenRPCDocument(document)).toBe(true);
  });

  it('can be read and its references resolved by the tools of OpenRPC', async () => {
    const parsed = await tools.parseOpenRPCDocument(structuredClone(document));
    expect(parsed.methods).toHaveLength(methodEntries.length);
    expect(parsed).toMatchObject({ openrpc: '1.3.2', info: { version: '1.2.3' } });
  });

  it('names each JSON-RPC code once in a method', () => {
    for (const { name, errors } of document['methods'] as never as {
      name: string;
      errors: { code: number }[];
    }[]) {
      const codes = errors.map(({ code }) => code);
      expect(new Set(codes).size, name).toBe(codes.length);
    }
  });

  it('names shared shapes once', () => {
    const text = JSON.stringify(document['methods']);
    expect(text.includes('"title":"Task"')).toBe(false);
    expect(JSON.stringify(document).length).toBeLessThan(170_000);
  });
});
