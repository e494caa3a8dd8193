import { fileURLToPath } from 'node:url';
import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { startMcpPeer } from './http-peer.suite.ts';
import { mcpTypes } from './index.ts';
import { startSsePeer } from './sse-peer.suite.ts';

function open(type: string, config: object) {
  const found = mcpTypes.find((one) => one.type === type);
  if (found === undefined) throw new Error(`no type ${type}`);
  return () => found.open({ id: 'peer', protocol: 'act/v1', type, config }, realParts);
}

for (const era of ['modern', 'session'] as const) {
  dialectSuite(
    `mcp over HTTP, ${era}`,
    async (): Promise<Stage> => {
      const { url, stop } = await startMcpPeer(era);
      const openNowhere = open('mcp-http', { url: 'http://127.0.0.1:9/mcp' });
      return { open: open('mcp-http', { url }), openNowhere, stop };
    },
    { over_http: true },
  );

  dialectSuite(`mcp over stdio, ${era}`, async (): Promise<Stage> => {
    const program = fileURLToPath(new URL('./stdio-peer.suite.ts', import.meta.url));
    const command = [process.execPath, program, era];
    const openNowhere = open('mcp-server', { command: ['/nowhere/no-such-program'] });
    return { open: open('mcp-server', { command }), openNowhere, stop: async () => {} };
  });
}

dialectSuite('mcp over HTTP with SSE', async (): Promise<Stage> => {
  const { url, stop } = await startSsePeer();
  const openNowhere = open('mcp-http', { url: 'http://127.0.0.1:9/sse', transport: 'sse' });
  return { open: open('mcp-http', { url }), openNowhere, stop };
});
