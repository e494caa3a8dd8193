import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { startActing } from './peer.suite.ts';

const methods = { act: { path: '/acts', body: '${params}', result: '/value' } };

function open(url: string) {
  const config = { url, methods, idempotency: 'Idempotency-Key' };
  return () => createProvider({ id: 'peer', protocol: 'act/v1', type: 'rest', config }, realParts);
}

dialectSuite(
  'rest',
  async (): Promise<Stage> => {
    const { url, stop } = await startActing();
    return { open: open(`${url}/v1/`), openNowhere: open('http://127.0.0.1:9'), stop };
  },
  { over_http: true },
);
