import { fileURLToPath } from 'node:url';
import type { Provider } from '../../src/core/ports/provider.ts';
import { startActing as startA2a } from '../../src/dialects/a2a/testing/acting.suite.ts';
import { startActing as startGraphql } from '../../src/dialects/graphql/peer.suite.ts';
import { startModel } from '../../src/dialects/llm/testing/model.suite.ts';
import { startMcpPeer } from '../../src/dialects/mcp/http-peer.suite.ts';
import { startActing as startRest } from '../../src/dialects/rest/peer.suite.ts';
import { startActing as startSimple } from '../../src/dialects/simple-a2a/peer.suite.ts';
import { startActing as startZone } from '../../src/dialects/zone/peer.suite.ts';

/** Who is called, as a configuration names it. */
export type Peer = {
  readonly type: string;
  readonly config: object;
  /** Makes the task of the suite one of the dialect's own. */
  readonly as?: (provider: Provider) => Provider;
  stop(): Promise<void>;
};

const mcpProgram = fileURLToPath(new URL('../../src/dialects/mcp/stdio-peer.suite.ts', import.meta.url));
const document = 'mutation Act($direction: JSON!) { act(direction: $direction) }';
const variables = { direction: '${params}' };
const message = { channel: 'C1', text: '', bot_token: 'none' };

/** One of each dialect but JSON-RPC, which stands for its channels. */
export const dialectPeers = {
  rest: async () => {
    const { url, stop } = await startRest();
    const methods = { act: { path: '/acts', body: '${params}', result: '/value' } };
    return { type: 'rest', config: { url, methods }, stop };
  },
  graphql: async () => {
    const { url, stop } = await startGraphql();
    const methods = { act: { document, variables, result: '/act' } };
    return { type: 'graphql', config: { url, methods }, stop };
  },
  llm: async () => {
    const { url, stop } = await startModel('openai');
    return { type: 'llm', config: { api: 'openai', url, default_model: 'small' }, as: talking, stop };
  },
  'mcp over HTTP': async () => {
    const { url, stop } = await startMcpPeer('modern');
    return { type: 'mcp-http', config: { url }, stop };
  },
  'mcp over stdio': async () => {
    const command = [process.execPath, mcpProgram, 'modern'];
    return { type: 'mcp-server', config: { command }, stop: async () => {} };
  },
  a2a: async () => {
    const { url, stop } = await startA2a({ version: '1.0', stream: false });
    return { type: 'a2a', config: { url }, stop };
  },
  'simple-a2a': async () => {
    const { url, stop } = await startSimple();
    return { type: 'simple-a2a', config: { url }, stop };
  },
  zone: async () => {
    const { url, stop } = await startZone();
    const config = { url: `${url}/zone`, params: message, result: '/value' };
    return { type: 'execution-zone', config, stop };
  },
} satisfies Record<string, () => Promise<Peer>>;

export type DialectName = keyof typeof dialectPeers;
export const dialectNames = Object.keys(dialectPeers) as readonly DialectName[];

/** What the task is to do as a conversation, and what the model says as its result. */
function talking(provider: Provider): Provider {
  return {
    ...provider,
    hasMethod: () => true,
    call: async ({ params, call_id, task_id, workflow_id, attempt, signal }) => {
      const messages = [{ role: 'user', content: JSON.stringify(params) }];
      const told = { call_id, task_id, workflow_id, attempt, signal };
      const answer = await provider.call({ ...told, method: 'chat', params: { messages } });
      if (answer.word !== 'done') return answer;
      return { word: 'done', result: (JSON.parse(answer.result) as { text: string }).text };
    },
  };
}
