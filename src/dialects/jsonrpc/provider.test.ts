import { fileURLToPath } from 'node:url';
import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { createProvider } from '../registry.ts';
import { realParts } from './channels.suite.ts';
import { startHttpPeer, startWebSocketPeer } from './peers.suite.ts';

function open(type: string, config: object) {
  return () => createProvider({ id: 'peer', protocol: 'act/v1', type, config }, realParts);
}

dialectSuite(
  'jsonrpc over HTTP',
  async (): Promise<Stage> => {
    const { url, stop } = await startHttpPeer();
    const openNowhere = open('jsonrpc-http', { url: 'http://127.0.0.1:9/rpc' });
    return { open: open('jsonrpc-http', { url }), openNowhere, stop };
  },
  { over_http: true },
);

dialectSuite('jsonrpc over WebSocket', async (): Promise<Stage> => {
  const { url, stop } = await startWebSocketPeer();
  const openNowhere = open('jsonrpc-ws', { url: 'ws://127.0.0.1:9/rpc' });
  return { open: open('jsonrpc-ws', { url }), openNowhere, stop };
});

dialectSuite('jsonrpc over stdio', async (): Promise<Stage> => {
  const program = fileURLToPath(new URL('./stdio-peer.suite.ts', import.meta.url));
  const command = [process.execPath, program];
  const openNowhere = open('jsonrpc-stdio', { command: ['/nowhere/no-such-program'] });
  return { open: open('jsonrpc-stdio', { command }), openNowhere, stop: async () => {} };
});
