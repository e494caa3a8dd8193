import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { quiet } from '../rpc/testing/quiet.suite.ts';
import { type CarrierSettings, openCarrier } from './zone-carriers.ts';

const never = new AbortController().signal;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(settings: CarrierSettings, connections = 10) {
  const environment = { PATH: process.env['PATH'], AGENT_KEY: 'of the gateway' };
  const { logger } = quiet;
  const carrier = await openCarrier(settings, { folder: process.cwd(), environment, logger, connections });
  ends.push(() => carrier.close());
  return carrier;
}

describe('a carrier that is configured', () => {
  it('signs with credentials that are lent', async () => {
    const shown: IncomingHttpHeaders[] = [];
    const endpoint = await answering((request, response) => {
      shown.push(request.headers);
      request.resume();
      response.end('{}');
    });
    const runtime = {
      runtime_arn: 'arn:aws:bedrock-agentcore:x:1:runtime/r',
      region: 'eu-central-1',
      endpoint,
    };
    const lent = { access_key_id: 'AKIA', secret_access_key: 'a-secret', session_token: 'for-an-hour' };
    const carrier = await open({ type: 'agentcore', ...runtime, ...lent });
    await carrier.send('{}', { signal: never });
    expect(shown[0]).toMatchObject({
      authorization: expect.stringContaining('Credential=AKIA/'),
      'x-amz-security-token': 'for-an-hour',
    });
  });

  it('has a connection for each question over HTTPS', async () => {
    const calls = 140;
    const waiting: (() => void)[] = [];
    const url = await answering((request, response) => {
      request.resume();
      waiting.push(() => response.end('{}'));
      if (waiting.length === calls) for (const answer of waiting) answer();
    });
    const carrier = await open({ type: 'https', url }, calls);
    const sent = Array.from({ length: calls }, () => carrier.send('{}', { signal: never }));
    expect(await Promise.all(sent)).toHaveLength(calls);
  });

  it('starts a program with what its environment is to be, and nothing of ours', async () => {
    const program = `
      require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { AGENT_KEY, OTHER } = process.env;
        console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { AGENT_KEY, OTHER } }));
      });`;
    const asked = async (env: Record<string, string>) => {
      const carrier = await open({ type: 'stdio', command: process.execPath, args: ['-e', program], env });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'x', params: {} });
      return (JSON.parse(await carrier.send(body, { signal: never })) as { result: object }).result;
    };
    expect(await asked({})).toEqual({});
    expect(await asked({ AGENT_KEY: 'k-1' })).toEqual({ AGENT_KEY: 'k-1' });
  });
});
