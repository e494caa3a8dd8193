import { expect, it } from 'vitest';
import { channelFactories } from './channels.ts';

const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const factories = channelFactories({ logger, folder: '.', environment: {} });
const target = { url: 'http://127.0.0.1:9/', tls: null, credentials: null, connections: 1 };

it('what was closed before its first call is not opened by it', async () => {
  const client = factories.web(target);
  await client.close();
  const request = { method: 'GET', url: new URL(target.url), headers: {}, body: null, signal: null };
  await expect(client.request({ ...request, max_bytes: 1 })).rejects.toMatchObject({ code: 'GLZ2002' });
  const channel = factories.http({ ...target, headers: {} });
  await channel.close();
  const call = { id: 1, method: 'a', signal: new AbortController().signal };
  await expect(channel.call(call)).rejects.toMatchObject({ message: 'the channel is closed' });
});
