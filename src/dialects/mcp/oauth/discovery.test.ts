import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json.ts';
import { readChallenge } from './challenge.ts';
import { discoverLogin, metadataUrls, resourceUrls } from './discovery.ts';

const home = new URL('https://mcp.example/public/mcp');
const nothing = readChallenge(undefined);
const hrefs = (urls: readonly URL[]) => urls.map(({ href }) => href);

function documents(found: Readonly<Record<string, JsonObject>>) {
  const asked: string[] = [];
  const read = async ({ href }: URL) => {
    asked.push(href);
    return found[href] ?? null;
  };
  return { asked, read };
}

const resource = {
  resource: home.href,
  authorization_servers: ['https://as.example'],
  scopes_supported: ['a'],
};
const server = { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' };
const at = {
  resource: 'https://mcp.example/.well-known/oauth-protected-resource/public/mcp',
  server: 'https://as.example/.well-known/oauth-authorization-server',
};

describe('who gives tokens for a server', () => {
  it('is looked for where the server says, else below and at its root', () => {
    const told = readChallenge('Bearer resource_metadata="https://mcp.example/there"');
    expect(hrefs(resourceUrls(home, told))).toEqual(['https://mcp.example/there']);
    expect(hrefs(resourceUrls(home, nothing))).toEqual([
      at.resource,
      'https://mcp.example/.well-known/oauth-protected-resource',
    ]);
    expect(resourceUrls(new URL('https://mcp.example/'), nothing)).toHaveLength(1);
    expect(hrefs(metadataUrls('https://as.example/tenant'))).toEqual([
      'https://as.example/.well-known/oauth-authorization-server/tenant',
      'https://as.example/.well-known/openid-configuration/tenant',
      'https://as.example/tenant/.well-known/openid-configuration',
    ]);
    expect(() => metadataUrls('file:///etc/passwd')).toThrow('no address of an issuer');
  });

  it('is found', async () => {
    const { read, asked } = documents({ [at.resource]: resource, [at.server]: server });
    const found = await discoverLogin(home, nothing, read);
    expect(found).toMatchObject({
      resource: home.href,
      scopes: ['a'],
      server: { issuer: 'https://as.example', s256: null },
    });
    expect(asked).toEqual([at.resource, at.server]);
  });

  it('is the server itself where it says nothing, as in 2025-03-26', async () => {
    const found = await discoverLogin(home, nothing, documents({}).read);
    expect(found.server.token_endpoint.href).toBe('https://mcp.example/token');
    expect(found.resource).toBe('https://mcp.example/public/mcp');
  });

  it.each([
    [{ ...resource, resource: 'https://evil.example/mcp' }, server, 'are for another server'],
    [{ ...resource, resource: 'https://mcp.example/other' }, server, 'are for another server'],
    [{ ...resource, authorization_servers: [] }, server, 'does not say who gives tokens'],
    [resource, { ...server, issuer: 'https://as.example/' }, 'is about another issuer'],
    [resource, { issuer: 'https://as.example' }, 'does not say where it gives tokens'],
    [resource, { ...server, token_endpoint: 'file:///x' }, 'does not say where it gives tokens'],
    [
      resource,
      { ...server, token_endpoint: 'http://as.example/token' },
      'does not say where it gives tokens',
    ],
  ])('is not believed: %j and %j', async (about, issuer, words) => {
    const { read } = documents({ [at.resource]: about, [at.server]: issuer });
    await expect(discoverLogin(home, nothing, read)).rejects.toThrow(words);
  });
});
