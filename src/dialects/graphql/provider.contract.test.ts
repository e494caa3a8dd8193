import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { startActing } from './peer.suite.ts';

const document = 'mutation Act($direction: JSON!) { act(direction: $direction) }';
const methods = { act: { document, variables: { direction: '${params}' }, result: '/act' } };

function open(url: string) {
  const config = { url, methods, idempotency: 'Idempotency-Key' };
  return () => createProvider({ id: 'peer', protocol: 'act/v1', type: 'graphql', config }, realParts);
}

dialectSuite(
  'graphql',
  async (): Promise<Stage> => {
    const { url, stop } = await startActing();
    return { open: open(`${url}/graphql`), openNowhere: open('http://127.0.0.1:9'), stop };
  },
  { over_http: true },
);
