import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { direct } from '../dialect.suite.ts';
import { createProvider } from '../registry.ts';
import { realParts } from './channels.suite.ts';
import { startHttpPeer, startWebSocketPeer } from './peers.suite.ts';

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function open(
  type: string,
  config: object,
  secrets = realParts.secrets,
  hidden: readonly string[] = [],
): Provider {
  const spec = { id: 'peer', protocol: 'act/v1', type, config };
  const provider = createProvider(spec, { ...realParts, secrets, hidden: () => hidden });
  ends.push(async () => provider.close?.());
  return provider;
}

async function seenBy(provider: Provider): Promise<{ id: string; method: string; headers: JsonObject }[]> {
  const answer = await direct(provider, { do: 'seen' });
  if (answer.word !== 'done') throw new Error(JSON.stringify(answer));
  return JSON.parse(answer.result);
}

describe('what a JSON-RPC service gets to see', () => {
  it('over HTTP: id, method, headers with secrets as they are now, and the trace', async () => {
    const peer = await startHttpPeer();
    ends.push(peer.stop);
    let key = 'first';
    const config = {
      url: peer.url,
      headers: { Authorization: 'Bearer ${secrets.key}', 'X-Tenant': 'a' },
      methods: { act: 'stage.act' },
    };
    const provider = open('jsonrpc-http', config, () => key);
    await direct(provider, { do: 'echo', value: 1 }, { call_id: 'task-1', traceparent: trace });
    key = 'second';
    await direct(provider, { do: 'echo', value: 1 }, { call_id: 'task-2' });
    expect(await seenBy(provider)).toMatchObject([
      {
        id: 'task-1',
        method: 'stage.act',
        headers: {
          authorization: 'Bearer first',
          'x-tenant': 'a',
          traceparent: trace,
          'content-type': 'application/json',
        },
      },
      { id: 'task-2', headers: { authorization: 'Bearer second' } },
    ]);
  });

  it('over WebSocket: headers of the connection, with secrets as they are when it is opened', async () => {
    const peer = await startWebSocketPeer();
    ends.push(peer.stop);
    let key = 'first';
    const config = { url: peer.url, headers: { authorization: 'Bearer ${secrets.key}' } };
    const provider = open('jsonrpc-ws', config, () => key);
    await direct(provider, { do: 'echo', value: 1 }, { traceparent: trace });
    key = 'second';
    await direct(provider, { do: 'cut' });
    await direct(provider, { do: 'echo', value: 1 });
    const seen = await seenBy(provider);
    expect(seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer first',
      'Bearer second',
    ]);
  });

  it('over stdio: variables with secrets, and little else of our environment', async () => {
    const program = fileURLToPath(new URL('./stdio-peer.suite.ts', import.meta.url));
    const env = { PEER_TOKEN: 'key ${secrets.key}' };
    const provider = open('jsonrpc-stdio', { command: [process.execPath, program], env });
    await direct(provider, { do: 'echo', value: 1 });
    expect(await seenBy(provider)).toMatchObject([{ headers: { token: 'key value-of-key' } }]);
  });
});

describe('what comes back from a JSON-RPC service', () => {
  it('does not carry its secrets into errors', async () => {
    const peer = await startHttpPeer();
    ends.push(peer.stop);
    const config = { url: peer.url, headers: { authorization: 'Bearer ${secrets.key}' } };
    const provider = open('jsonrpc-http', config, () => 'hunter2');
    const answer = await direct(provider, { do: 'fail', how: 'final', message: 'no, Bearer hunter2!' });
    expect(answer).toMatchObject({ word: 'failed', error: { message: 'no, Bearer [secret]!' } });
  });

  it('shows no part of a secret where a long answer is cut', async () => {
    const text = `${'x'.repeat(180)} Bearer hunter2hunter2, and so on`;
    const service = createServer((_, response) => response.writeHead(500).end(text)).listen(0, '127.0.0.1');
    ends.push(async () => void service.close());
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const config = { url: `http://127.0.0.1:${port}/`, headers: { authorization: 'Bearer ${secrets.key}' } };
    const provider = open('jsonrpc-http', config, () => 'hunter2hunter2');
    const answer = JSON.stringify(await direct(provider, { do: 'echo', value: 1 }));
    expect(answer).toContain('xxx');
    expect(answer).not.toContain('hun');
  });

  it('does not carry what else is hidden into errors', async () => {
    const peer = await startHttpPeer();
    ends.push(peer.stop);
    const config = { url: `${peer.url}?api_key=hunter2` };
    const provider = open('jsonrpc-http', config, undefined, ['hunter2']);
    const answer = await direct(provider, { do: 'fail', how: 'final', message: 'no hunter2 here' });
    expect(answer).toMatchObject({ word: 'failed', error: { message: 'no [secret] here' } });
  });

  it('is waited for as long as the provider says, if the task would wait longer', async () => {
    const peer = await startHttpPeer();
    ends.push(peer.stop);
    const provider = open('jsonrpc-http', { url: peer.url, timeout: '20ms' });
    expect(await direct(provider, { do: 'silence' })).toMatchObject({
      word: 'failed',
      error: { message: expect.stringContaining('0.02 s'), data: { error_code: 'GLZ2003' } },
    });
    const patient = open('jsonrpc-http', { url: peer.url, timeout: 10 });
    expect(await direct(patient, { do: 'echo', value: 1 })).toEqual({ word: 'done', result: '1' });
    const ended = await direct(patient, { do: 'silence' }, { signal: AbortSignal.abort() });
    expect(ended).toMatchObject({ word: 'failed' });
  });

  it('is an error of ours where a secret is missing, and nothing is sent', async () => {
    const peer = await startHttpPeer();
    ends.push(peer.stop);
    const config = { url: peer.url, headers: { authorization: '${secrets.key}' } };
    const provider = open('jsonrpc-http', config, () => {
      throw new Error('there is no secret "key"');
    });
    expect(await direct(provider, { do: 'echo', value: 1 })).toMatchObject({
      word: 'failed',
      error: { message: 'there is no secret "key"' },
    });
    expect(await seenBy(open('jsonrpc-http', { url: peer.url }))).toEqual([]);
  });
});
