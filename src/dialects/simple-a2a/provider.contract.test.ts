import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { startActing } from './peer.suite.ts';

function open(url: string) {
  return () =>
    createProvider({ id: 'peer', protocol: 'act/v1', type: 'simple-a2a', config: { url } }, realParts);
}

dialectSuite(
  'simple-a2a',
  async (): Promise<Stage> => {
    const { url, stop } = await startActing();
    return { open: open(`${url}/tasks`), openNowhere: open('http://127.0.0.1:9'), stop };
  },
  { over_http: true },
);
