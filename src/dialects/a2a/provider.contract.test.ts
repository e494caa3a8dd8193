import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { a2aTypes } from './index.ts';
import { startActing } from './testing/acting.suite.ts';
import type { WireVersion } from './wire/model.ts';

const ways: readonly { version: WireVersion; stream: boolean }[] = [
  { version: '0.3', stream: false },
  { version: '0.3', stream: true },
  { version: '1.0', stream: false },
  { version: '1.0', stream: true },
];

function open(url: string) {
  const spec = { id: 'peer', protocol: 'act/v1', type: 'a2a', config: { url } };
  return () => {
    const provider = a2aTypes.find(({ type }) => type === 'a2a')?.open(spec, realParts);
    if (provider === undefined) throw new Error('there is no type a2a');
    return provider;
  };
}

for (const way of ways)
  dialectSuite(
    `a2a ${way.version}, ${way.stream ? 'as a stream' : 'in one piece'}`,
    async (): Promise<Stage> => {
      const { url, stop } = await startActing(way);
      return { open: open(url), openNowhere: open('http://127.0.0.1:9'), stop };
    },
    { over_http: true, more_words: true },
  );
