import { createServer as createPlain } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentEntry } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { parseAgent } from '../registry/agent-definition.ts';
import { sealAgent } from '../registry/agent-record.ts';
import { makeAuthority } from '../rpc/http/certificates.suite.ts';
import { createCipher } from '../store/cipher.ts';
import { pingAgent } from './agent-ping.ts';
import { checkAgent } from './agent-service.ts';
import { cipher, partsOf, sealedEntry } from './agents.suite.ts';
import { AgentConnections, openAgent, settingsOf, tlsOfAgent } from './agents.ts';

const authority = makeAuthority();
let service: Server;
let url = '';

/** Answers with the name in the certificate that it was shown. */
beforeAll(async () => {
  const options = { ...authority.issue('localhost'), ca: authority.cert, requestCert: true };
  service = createServer(options, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
    const id = body === '' ? null : JSON.parse(body).id;
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { text: CN ?? 'nobody' } }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.close();
  service.closeAllConnections();
});

function entry(given: object): AgentEntry {
  return sealedEntry({ url, protocol: 'jsonrpc', ...given });
}

const identity = authority.issue('this engine');
const mtls = () => ({ type: 'mtls', cert: identity.cert, key: identity.key, ca: authority.cert });

describe('an agent with a certificate', () => {
  it('is called with it, though the key is only stored sealed', async () => {
    const { parts } = await partsOf(() => []);
    const agent = entry({ auth_config: mtls() });
    expect(JSON.stringify(agent)).not.toContain(identity.key.split('\n')[1]);
    const provider = openAgent(parts, agent, 'agent/v1');
    const signal = AbortSignal.timeout(5000);
    const call = {
      method: 'send',
      params: {},
      call_id: '1',
      task_id: '1',
      workflow_id: null,
      attempt: 1,
      signal,
    };
    expect(await provider.call(call)).toMatchObject({ word: 'done', result: '{"text":"this engine"}' });
    await provider.close?.();
    const ping = pingAgent(agent, tlsOfAgent(cipher, agent), { signal, logger: parts.logger });
    expect(await ping).toMatchObject({ well: true, http_status: 200, asked: 'GET /' });
  });

  it.each([
    [{ key: '/etc/ssl/private/server.key' }, '/auth_config/key', /is no PEM/],
    [
      { cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      '/auth_config/cert',
      /is no certificate/,
    ],
    [{ key: authority.issue('another').key }, '/auth_config/key', /does not belong to the certificate/],
  ])('is refused with %j', (wrong, field, reason) => {
    const settings = parseAgent({ name: 'A', url, auth_config: { ...mtls(), ...wrong } });
    const refused = thrownBy(() => checkAgent(settings, 'api'));
    expect([refused.details.field, refused.message]).toEqual([field, expect.stringMatching(reason)]);
    expect(refused.message).not.toContain(String(Object.values(wrong)[0]).split('\n')[1] ?? '/etc');
  });
});

function thrownBy(work: () => void): GleitzeitError {
  try {
    work();
  } catch (thrown) {
    return GleitzeitError.from(thrown);
  }
  throw new Error('nothing was thrown');
}

describe('an entry over the API', () => {
  const least = { name: 'A', url: 'http://127.0.0.1:9' };
  it.each([
    [{ protocol: 'jsonrpc-stdio' }, '/protocol'],
    [{ protocol: 'process' }, '/protocol'],
    [{ protocol: 'jsonrpc', protocol_config: { tls: { ca: '/etc/ca.pem' } } }, '/protocol_config/tls'],
    [{ protocol: 'jsonrpc', protocol_config: { conections: 1 } }, '/protocol_config/conections'],
    [{ protocol: 'jsonrpc', url: 'ws://127.0.0.1:9' }, '/url'],
    [{ auth_config: { type: 'api_key', header: 'no header', value: 'the-value-1' } }, '/auth_config/header'],
    [
      { auth_config: { type: 'oauth2', token_url: 'nowhere', client_id: 'a', client_secret: 'b' } },
      '/auth_config/token_url',
    ],
    [{ protocol_config: { headers: { 'a b\n': 'c' } } }, '/protocol_config/headers/a b\n'],
    [{ protocol: 'jsonrpc-2.0', protocol_config: { a2a_version: '9' } }, '/protocol_config/a2a_version'],
  ])('%j is refused by the member that is wrong', (given, field) => {
    const refused = thrownBy(() => checkAgent(parseAgent({ ...least, ...given }), 'api'));
    expect([refused.code, refused.details.field]).toEqual(['GLZ1012', field]);
    expect(JSON.stringify(refused.toRecord())).not.toContain('the-value-1');
  });

  const rest = (send: object) => ({ protocol: 'rest', protocol_config: { methods: { send } } });
  const tokens = { type: 'oauth2', client_id: 'a', client_secret: 'b' };
  it.each([
    [{ url: 'http://127.0.0.1:9/?x=1&token=the-value-1' }, '/url'],
    [
      { protocol: 'a2a', protocol_config: { card: 'http://me:the-value-1@127.0.0.1:9/card' } },
      '/protocol_config/card',
    ],
    [
      { protocol: 'a2a', protocol_config: { card: 'http://127.0.0.1:9/card?api_key=the-value-1' } },
      '/protocol_config/card',
    ],
    [
      { auth_config: { ...tokens, token_url: 'http://127.0.0.1:9/?client_secret=the-value-1' } },
      '/auth_config/token_url',
    ],
    [
      rest({ path: '/x', headers: { 'x-api-key': 'the-value-1' } }),
      '/protocol_config/methods/send/headers/x-api-key',
    ],
    [rest({ path: '/x', query: { api_key: 'the-value-1' } }), '/protocol_config/methods/send/query/api_key'],
  ])('%j is refused, since what it shows is a secret', (given, field) => {
    for (const source of ['api', 'file'] as const) {
      const refused = thrownBy(() => checkAgent(parseAgent({ ...least, ...given }), source));
      expect([refused.code, refused.details.field]).toEqual(['GLZ1012', field]);
      expect(JSON.stringify(refused.toRecord())).not.toContain('the-value-1');
    }
  });

  it('may have words in its addresses that are no secrets', () => {
    const url = 'http://127.0.0.1:9/?token=&zone=blue';
    const shown = rest({ path: '/x', query: { page_token: '${params.next}' } });
    for (const given of [{ url }, shown]) checkAgent(parseAgent({ ...least, ...given }), 'api');
  });

  it.each(['simple-a2a', 'jsonrpc-2.0', 'a2a', 'auto', 'jsonrpc', 'jsonrpc-http'])(
    'may speak %s',
    (protocol) => {
      checkAgent(parseAgent({ ...least, protocol, auth_config: { type: 'bearer', token: 't' } }), 'api');
    },
  );
});

describe('what an agent is told in confidence and says back', () => {
  const said = async (given: object, hidden: (texts: readonly string[]) => void) => {
    const { parts } = await partsOf(() => []);
    const echo = createPlain(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const text = JSON.stringify(request.headers);
      response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: { text } }));
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const own = entry({ url: `http://127.0.0.1:${(echo.address() as AddressInfo).port}`, ...given });
    const provider = openAgent({ ...parts, hideTexts: hidden }, own, 'agent/v1');
    const about = { call_id: 'c', task_id: 't', workflow_id: null, attempt: 1, method: 'send', params: {} };
    const answer = await provider.call({ ...about, signal: AbortSignal.timeout(5000) });
    await provider.close?.();
    echo.close();
    if (answer.word !== 'done') throw new Error(JSON.stringify(answer));
    return answer.result;
  };

  it.each([
    ['like a media type', { auth_config: { type: 'bearer', token: 'q83vEjRWeJ/avN7w' } }, 'q83vEjRWeJ/avN7w'],
    ['of a few letters', { auth_config: { type: 'api_key', header: 'x-k', value: 'sesame' } }, 'sesame'],
    ['in a header', { protocol_config: { headers: { 'x-k': 'q83vEjRWeJ/avN7w' } } }, 'q83vEjRWeJ/avN7w'],
  ])('is masked: %s', async (_, given, secret) => {
    const hidden: string[] = [];
    expect(await said(given, (texts) => hidden.push(...texts))).not.toContain(secret);
    expect(hidden).toEqual([secret]);
  });

  it('is left as it is where it tells nothing', async () => {
    const headers = { accept: 'application/json', 'x-tenant': 'blue' };
    const hidden: string[] = [];
    const result = await said({ protocol_config: { headers } }, (texts) => hidden.push(...texts));
    expect([result, hidden]).toEqual([expect.stringContaining('blue'), []]);
  });
});

describe('members of the pools', () => {
  it('come, change with their connection or without, and go', async () => {
    let list: AgentEntry[] = [entry({ implements: ['a/v1'] }), entry({ name: 'B' })];
    const { parts, pools } = await partsOf(() => list);
    const connections = new AgentConnections(parts);
    const connected = () => pools.providers().filter(({ state }) => state === 'connected');
    const ids = () => connected().map(({ id }) => id);
    const since = (id: string) => pools.status(id)?.since;
    connections.follow();
    expect(ids()).toEqual(['agent:Echo', 'agent:Echo@a/v1', 'agent:B']);
    const before = pools.status('agent:Echo');
    const adjusted = vi.spyOn(pools, 'adjust');
    list = [
      { ...entry({}), circuit_breaker_config: { ...entry({}).circuit_breaker_config, failure_threshold: 1 } },
    ];
    connections.follow();
    expect(ids()).toEqual(['agent:Echo']);
    expect(since('agent:Echo')).toBe(before?.since);
    expect(adjusted).toHaveBeenCalledExactlyOnceWith(
      'agent:Echo',
      expect.objectContaining({ breaker: expect.objectContaining({ failures: 1 }) }),
    );
    list = [entry({ timeout: 5 })];
    connections.follow();
    expect(ids()).toEqual(['agent:Echo']);
    await pools.stop(0);
  });

  it('that cannot be connected say why, and keep nobody else from it', async () => {
    const broken = { ...entry({ name: 'A' }), protocol: 'spoken-by-a-newer-version' };
    const { parts, pools, log } = await partsOf(() => [broken, entry({})]);
    const connections = new AgentConnections(parts);
    connections.follow();
    expect(connections.problem('A')).toContain('spoken-by-a-newer-version');
    expect(connections.problem('Echo')).toBe(null);
    expect(pools.providers().map(({ id }) => id)).toEqual(['agent:Echo']);
    expect(log).toMatchObject([{ level: 'error', fields: { agent: 'A' } }]);
    await pools.stop(0);
  });

  it('whose secrets cannot be opened here are left to engines that have the key', async () => {
    const other = createCipher(() => [Buffer.alloc(32, 2)]);
    const auth_config = { type: 'bearer', token: 'sealed-elsewhere' };
    let list = [entry({ auth_config })];
    const { parts, pools } = await partsOf(() => list);
    const connections = new AgentConnections(parts);
    const ids = () =>
      pools
        .providers()
        .filter(({ state }) => state === 'connected')
        .map(({ id }) => id);
    connections.follow();
    expect([ids(), connections.problem('Echo')]).toEqual([['agent:Echo'], null]);
    list = [{ ...entry({}), ...sealAgent(other, parseAgent({ name: 'Echo', url, auth_config }), null) }];
    connections.follow();
    expect([ids(), connections.problem('Echo')]).toEqual([[], expect.stringContaining('a key that is not')]);
    list = [entry({ auth_config })];
    connections.follow();
    expect([ids(), connections.problem('Echo')]).toEqual([['agent:Echo'], null]);
    await pools.stop(0);
  });

  it('are left in peace as their entries say', () => {
    expect(settingsOf(entry({})).breaker).toMatchObject({
      failures: 5,
      failure_rate: 0.5,
      window_ms: 120_000,
      cool_down_ms: 60_000,
      most_cool_down_ms: 60_000,
      probes: 3,
    });
    const off = settingsOf(entry({ circuit_breaker_config: { enabled: false } })).breaker;
    expect([off.failures, off.least_calls]).toEqual([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
  });
});
