import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json.ts';
import { webClient } from '../../../rpc/http/client.ts';
import { addressGuard } from '../../../rpc/network/guard.ts';
import { realChannels } from '../../jsonrpc/channels.suite.ts';
import { ask, done, failed, modern, on, openMcp, startScripted } from '../scripted.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Grant = (form: URLSearchParams, asked: number) => { status: number; body: JsonObject };

/** An issuer of tokens on a port of its own. */
async function startIssuer(grant: Grant) {
  const asked: { form: URLSearchParams; authorization: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const json = (status: number, body: JsonObject) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/oauth-authorization-server')
      return json(200, {
        issuer,
        token_endpoint: `${issuer}/token`,
        client_id_metadata_document_supported: true,
      });
    if (request.url !== '/token') return json(404, {});
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    asked.push({ form, authorization: request.headers.authorization ?? '' });
    const { status, body } = grant(form, asked.length);
    json(status, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, asked };
}

/** A server that wants tokens, each good until the next was given. */
async function startGuarded(issuer: string, good: () => string) {
  const scripted = await startScripted((turn) => {
    if (turn.method === 'HTTP GET')
      return turn.response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ resource: scripted.url, authorization_servers: [issuer] }));
    if (turn.headers.authorization !== `Bearer ${good()}`)
      return turn.response.writeHead(401, { 'www-authenticate': 'Bearer scope="use"' }).end();
    return script(turn);
  });
  const script = modern(
    on('tools/call', ({ result }) => result({ resultType: 'complete', structuredContent: 'in' })),
  );
  ends.push(scripted.stop);
  return scripted;
}

const allowing = (allow: string[]) => {
  const guard = addressGuard({ allow });
  const channels = {
    ...realChannels,
    web: ({ tls: _, ...target }: Parameters<typeof realChannels.web>[0]) => webClient({ ...target, guard }),
  };
  return { channels, secrets: (name: string) => `value-of-${name}` };
};

const machine = { client_id: 'us', client_secret: '${secrets.key}' };

function open(url: string, oauth: JsonObject, allow = ['127.0.0.0/8']) {
  const provider = openMcp({ url, oauth }, allowing(allow));
  ends.push(() => provider.close?.());
  return provider;
}

describe('a login', () => {
  it('is made once for many calls, and once again when its token is not taken any more', async () => {
    let good = 1;
    const { issuer, asked } = await startIssuer(() => ({
      status: 200,
      body: { access_token: `token-${good}`, token_type: 'Bearer', expires_in: 3600 },
    }));
    const { url } = await startGuarded(issuer, () => `token-${good}`);
    const provider = open(url, machine);
    const all = () => Promise.all([1, 2, 3, 4, 5].map(() => done(ask(provider, 'look'))));
    expect(await all()).toEqual(['in', 'in', 'in', 'in', 'in']);
    expect(asked).toHaveLength(1);
    good = 2;
    expect(await all()).toEqual(['in', 'in', 'in', 'in', 'in']);
    expect(asked).toHaveLength(2);
    expect(Object.fromEntries(asked[0]?.form ?? [])).toEqual({
      grant_type: 'client_credentials',
      scope: 'use',
      resource: url,
    });
    expect(asked[0]?.authorization).toBe(`Basic ${btoa('us:value-of-key')}`);
  });

  it('with a refresh token outlives trouble of the issuer, and takes the new one', async () => {
    const { issuer, asked } = await startIssuer((_, count) =>
      count === 1
        ? { status: 503, body: {} }
        : {
            status: 200,
            body: { access_token: `t${count}`, token_type: 'Bearer', refresh_token: `r${count}` },
          },
    );
    let good = 't2';
    const { url } = await startGuarded(issuer, () => good);
    const provider = open(url, { client_id: 'us', refresh_token: '${secrets.refresh}' });
    expect(await failed(ask(provider, 'look'))).toMatchObject({ data: { error_code: 'GLZ2001' } });
    expect(await done(ask(provider, 'look'))).toBe('in');
    good = 't3';
    expect(await done(ask(provider, 'look'))).toBe('in');
    expect(asked.map(({ form }) => form.get('refresh_token'))).toEqual([
      'value-of-refresh',
      'value-of-refresh',
      'r2',
    ]);
  });

  it('does not ask for more with a refresh token than was allowed with it', async () => {
    const { issuer, asked } = await startIssuer((form) =>
      form.has('scope')
        ? { status: 400, body: { error: 'invalid_scope' } }
        : { status: 200, body: { access_token: 't', token_type: 'Bearer' } },
    );
    const { url } = await startGuarded(issuer, () => 't');
    const provider = open(url, { client_id: 'us', refresh_token: '${secrets.refresh}' });
    expect(await done(ask(provider, 'look'))).toBe('in');
    expect(asked).toHaveLength(1);
  });

  it('shows a configured refresh token to one issuer alone, whatever the client is known by', async () => {
    const given = { status: 200, body: { access_token: 't', token_type: 'Bearer' } };
    const first = await startIssuer(() => given);
    const other = await startIssuer(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    const oauth = {
      client_metadata_url: 'https://us.example/client',
      refresh_token: '${secrets.refresh}',
    };
    const { url } = await startGuarded(other.issuer, () => 't');
    await failed(ask(open(url, { ...oauth, issuer: first.issuer }), 'look'));
    expect(other.asked.filter(({ form }) => form.has('refresh_token'))).toEqual([]);
    const { url: right } = await startGuarded(first.issuer, () => 't');
    expect(await done(ask(open(right, { ...oauth, issuer: first.issuer }), 'look'))).toBe('in');
  });

  it('that needs a person says so where nobody can be asked', async () => {
    const { issuer } = await startIssuer(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    const { url } = await startGuarded(issuer, () => 'none');
    const provider = open(url, { client_id: 'us', grant: 'authorization_code' });
    expect(await failed(ask(provider, 'look'))).toMatchObject({
      message: expect.stringContaining('a person has to allow'),
      data: { error_code: 'GLZ2010', hint: expect.stringContaining('client_credentials') },
    });
  });

  it('does not show its secret in what the issuer complains of', async () => {
    const { issuer } = await startIssuer((form) => ({
      status: 400,
      body: { error: 'invalid_client', error_description: `not value-of-key of ${form.get('client_id')}` },
    }));
    const { url } = await startGuarded(issuer, () => 'none');
    const { message } = await failed(ask(open(url, machine), 'look'));
    expect(message).toContain('invalid_client');
    expect(message).not.toContain('value-of-key');
  });

  it('goes to no issuer inside our networks because a server names it', async () => {
    const { issuer, asked } = await startIssuer(() => ({ status: 200, body: { access_token: 't' } }));
    const { url } = await startGuarded(issuer, () => 't');
    expect(await failed(ask(open(url, machine, []), 'look'))).toMatchObject({
      message: expect.stringContaining('not a public address'),
      data: { error_code: 'GLZ2010' },
    });
    expect(asked).toEqual([]);
  });
});
