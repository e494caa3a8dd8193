import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { startActing } from './peer.suite.ts';

const params = { channel: 'C1', text: '', bot_token: '${secrets.token}' };

function open(url: string) {
  const config = { url, params, result: '/value', timeout: '20s' };
  return () => createProvider({ id: 'peer', protocol: 'act/v1', type: 'execution-zone', config }, realParts);
}

dialectSuite(
  'zone',
  async (): Promise<Stage> => {
    const { url, stop } = await startActing();
    return { open: open(`${url}/zone`), openNowhere: open('http://127.0.0.1:9'), stop };
  },
  { over_http: true },
);
