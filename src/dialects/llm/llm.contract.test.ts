import type { Provider } from '../../core/ports/provider.ts';
import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { type Api, apis } from './config.ts';
import { startModel } from './testing/model.suite.ts';

for (const api of apis)
  for (const stream of [false, true])
    dialectSuite(
      `llm, as ${api} speaks${stream ? ', in pieces' : ''}`,
      async (): Promise<Stage> => {
        const model = await startModel(api);
        return {
          open: () => talking(open(api, model.url), stream),
          openNowhere: () => talking(open(api, 'http://127.0.0.1:1'), stream),
          stop: model.stop,
        };
      },
      { over_http: true },
    );

function open(api: Api, url: string): Provider {
  const config = { api, url, default_model: 'small' };
  return createProvider({ id: 'model', protocol: 'llm/v1', type: 'llm', config }, realParts);
}

/** The directions of the suite as a conversation, and what the model says as the result. */
function talking(provider: Provider, stream: boolean): Provider {
  return {
    ...provider,
    call: async (call) => {
      const messages = [{ role: 'user', content: JSON.stringify(call.params) }];
      const reports = stream ? { report: () => {} } : {};
      const answer = await provider.call({ ...call, ...reports, method: 'chat', params: { messages } });
      if (answer.word !== 'done') return answer;
      return { word: 'done', result: (JSON.parse(answer.result) as { text: string }).text };
    },
  };
}
