import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from '../server/agent.ts';

type Message = {
  readonly taskId?: string;
  readonly messageId: string;
  readonly parts: readonly { readonly text?: string }[];
};
type Asked = {
  readonly id: string;
  readonly method: string;
  readonly params: { readonly message: Message; readonly id?: string };
};

/** An A2A agent that asks for a colour before it paints: it knows nothing of who calls but what it is told. */
export async function startAskingAgent(): Promise<Agent> {
  const pictures = new Map<string, string>();
  let url = '';
  const card = () => ({
    ...{ name: 'Painter', description: 'Paints', version: '1', protocolVersion: '0.3.0', url },
    ...{
      skills: [],
      capabilities: {},
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
    },
  });
  const answer = ({ method, params }: Asked): object => {
    if (method !== 'message/send') return { error: { code: -32601, message: 'not here' } };
    const { message } = params;
    const text = message.parts.map((part) => part.text ?? '').join('');
    const id = message.taskId ?? `picture-${pictures.size + 1}`;
    const picture = pictures.get(id);
    if (picture === undefined) pictures.set(id, text);
    return { result: { kind: 'task', id, contextId: 'studio', ...stateOf(picture, text) } };
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const asked = request.method === 'POST' ? (JSON.parse(body) as Asked) : null;
    response.setHeader('content-type', 'application/json');
    response.statusCode = asked === null && request.url !== '/.well-known/agent-card.json' ? 404 : 200;
    const said = asked === null ? card() : { jsonrpc: '2.0', id: asked.id, ...answer(asked) };
    response.end(JSON.stringify(said));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function stateOf(picture: string | undefined, text: string): object {
  const question = {
    kind: 'message',
    role: 'agent',
    messageId: 'q',
    parts: [{ kind: 'text', text: 'Which colour?' }],
  };
  if (picture === undefined) return { status: { state: 'input-required', message: question } };
  const painted = { artifactId: 'a', parts: [{ kind: 'text', text: `${picture} in ${text}` }] };
  return { status: { state: 'completed' }, artifacts: [painted] };
}
