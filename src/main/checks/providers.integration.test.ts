import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { numbered, startService } from '../../dialects/auth/service.suite.ts';
import { configSchemas } from '../../dialects/registry.ts';
import { checkProviders } from './providers.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function findings(door: string, auth: (token_url: string) => object) {
  const service = await startService({
    token: numbered(),
    door: ({ headers }) => (headers.authorization === door ? 200 : 401),
  });
  ends.push(service.stop);
  const config = { url: service.url, auth: auth(service.token_url) };
  const providers = [{ id: 'one', type: 'jsonrpc-http', config }];
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

it('a service that lets nobody in is a problem, told without what it was shown', async () => {
  const [found] = await findings('nobody', () => ({ type: 'bearer', token: '${secrets.key}' }));
  expect(found).toMatchObject({ status: 'problem' });
  expect(JSON.stringify(found)).not.toContain('a-secret');
});
