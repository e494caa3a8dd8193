import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { numbered, startService } from '../../dialects/auth/service.suite.ts';
import { configSchemas } from '../../dialects/registry.ts';
import { startService as startRest } from '../../dialects/rest/peer.suite.ts';
import { checkProviders } from './providers.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function findings(door: string, auth: (token_url: string) => object, type = 'jsonrpc-http') {
  const service = await startService({
    token: numbered(),
    door: ({ headers }) => (headers.authorization === door ? 200 : 401),
  });
  ends.push(service.stop);
  const methods = type === 'rest' ? { methods: { act: { path: '/act' } } } : {};
  const config = { url: service.url, auth: auth(service.token_url), ...methods };
  const providers = [{ id: 'one', type, config }];
  const text = JSON.stringify({
    secrets: { key: { env: 'KEY' } },
    protocols: [{ name: 'act/v1', methods: { act: {} }, providers }],
  });
  const options = { text, file: '/gleitzeit.yaml', cwd: '/', provider_types: configSchemas() };
  return checkProviders(await loadConfig({ ...options, env: { KEY: 'a-secret' } }), {});
}

it('services are asked as they would be by a call: with what auth shows them', async () => {
  const bearer = () => ({ type: 'bearer', token: '${secrets.key}' });
  expect(await findings('Bearer a-secret', bearer)).toMatchObject([{ status: 'ok' }]);
  const client = { client_id: 'me', client_secret: '${secrets.key}' };
  const oauth2 = (token_url: string) => ({ type: 'oauth2', token_url, ...client });
  expect(await findings('Bearer token-1', oauth2)).toMatchObject([{ status: 'ok' }]);
});

it.each(['jsonrpc-http', 'rest'])(
  'a service that lets nobody in is a problem, told without what it was shown: %s',
  async (type) => {
    const [found] = await findings('nobody', () => ({ type: 'bearer', token: '${secrets.key}' }), type);
    expect(found).toMatchObject({ status: 'problem' });
    expect(JSON.stringify(found)).not.toContain('a-secret');
  },
);

it('a service that is no JSON-RPC is there whatever it answers, unless it does not let us in', async () => {
  const service = await startRest(({ headers }) => ({
    status: headers.authorization === 'Bearer a-secret' ? 404 : 401,
  }));
  ends.push(service.stop);
  const found = async (KEY: string) => {
    const auth = { type: 'bearer', token: '${secrets.key}' };
    const config = { url: service.url, auth, methods: { act: { path: '/act' } } };
    const providers = [{ id: 'one', type: 'rest', config }];
    const protocols = [{ name: 'act/v1', methods: { act: {} }, providers }];
    const text = JSON.stringify({ secrets: { key: { env: 'KEY' } }, protocols });
    const options = { text, file: '/gleitzeit.yaml', cwd: '/', provider_types: configSchemas() };
    return checkProviders(await loadConfig({ ...options, env: { KEY } }), {});
  };
  expect(await found('a-secret')).toMatchObject([{ status: 'ok' }]);
  expect(await found('another')).toMatchObject([
    { status: 'problem', message: expect.stringContaining('does not let us in (HTTP 401)') },
  ]);
});
