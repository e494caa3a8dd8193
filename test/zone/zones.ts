import { randomUUID } from 'node:crypto';
import { request as ask } from 'node:https';
import { makeAuthority } from '../../src/rpc/http/certificates.suite.ts';
import {
  type StandIn,
  standInArn,
  standInCredentials,
  standInRegion,
  startStandIn,
} from '../../src/zone/carriers/agentcore/stand-in.suite.ts';
import { type AgentAnswer, type AgentCall, startAgent } from '../server/agent.ts';
import type { Program } from '../server/program.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';
import { type ChatStandIn, startChat } from './chat.ts';
import { signingSecret } from './slack.ts';

export const botToken = 'xoxb-never-to-be-seen-7342';

export const carriers = ['https', 'websocket', 'agentcore'] as const;

type CarrierName = (typeof carriers)[number];

export type GatewayProgram = Program & { readonly url: string };

/** Two zones in two processes, the agents behind one of them, the chat before the other, and AgentCore in between. */
export type Zones = {
  readonly scene: Scene;
  readonly chat: ChatStandIn;
  readonly runtime: StandIn;
  /** `gleitzeit serve` with an execution zone: a workflow of two agents. Always at the same port. */
  execution(): Promise<Server>;
  /** What the execution zone says at a path to somebody who shows nothing, something, or what it asks for. */
  reach(path: string, shown: 'nothing' | 'a foreign certificate' | 'a certificate'): Promise<string>;
  /** `gleitzeit zone gateway`; only what carries differs. */
  gateway(carrier: CarrierName, more?: object): Promise<GatewayProgram>;
  close(): Promise<void>;
};

const reply = {
  name: 'reply',
  tasks: [
    {
      id: 'research',
      protocol: 'team/v1',
      method: 'research',
      params: { text: '${workflow.input.text}', token: '${workflow.input.bot_token}' },
    },
    { id: 'write', protocol: 'team/v1', method: 'write', params: { text: '${research.result.text}' } },
  ],
};

type Answer = (call: AgentCall) => Promise<AgentAnswer>;

export async function openZones(answer: Answer): Promise<Zones> {
  const scene = openScene();
  const authority = makeAuthority();
  const [server, client] = [authority.issue('localhost'), authority.issue('gateway')];
  const ca = scene.write('ca.crt', authority.cert);
  const file = {
    server: { cert: scene.write('server.crt', server.cert), key: scene.write('server.key', server.key) },
    client: { cert: scene.write('client.crt', client.cert), key: scene.write('client.key', client.key) },
  };
  const [research, write] = [await startAgent(answer), await startAgent(answer)];
  const chat = await startChat();
  const place = { port: 0 };
  const ca_only = { ca: authority.cert };
  const shows = {
    nothing: ca_only,
    'a foreign certificate': { ...ca_only, ...makeAuthority('somebody else').issue('gateway') },
    'a certificate': { ...ca_only, ...client },
  };
  const at = (path: string) => `https://127.0.0.1:${place.port}${path}`;
  const invoke = (body: Uint8Array) => post(at('/invocations'), body, shows['a certificate']);
  const runtime = await startStandIn({ container: invoke, throttle_every: 3 });
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

  async function execution(): Promise<Server> {
    const provider = (id: string, url: string) => ({ id, type: 'jsonrpc-http', config: { url, only: [id] } });
    const started = await scene.serve(
      {
        server: { port: place.port, tls: { ...file.server, client_ca: ca } },
        engine: { stop_timeout: '1s' },
        store: { type: 'sqlite', path: 'execution.db' },
        workflows: [scene.write('reply.json', reply)],
        zone: { execute: { workflow: 'reply' }, agentcore: 'open' },
        protocols: [
          {
            name: 'team/v1',
            methods: { research: { params: text, returns: text }, write: { params: text, returns: text } },
            providers: [provider('research', research.url), provider('write', write.url)],
          },
        ],
      },
      { file: 'execution.yaml' },
    );
    place.port = Number(new URL(started.url).port);
    return started;
  }

  function carriedBy(type: CarrierName) {
    const tls = { ca, ...file.client };
    if (type === 'https') return { type, url: at('/zone'), tls };
    if (type === 'websocket') return { type, url: at('/zone').replace('https:', 'wss:'), tls };
    return {
      ...{ type, runtime_arn: standInArn, region: standInRegion, endpoint: runtime.url },
      ...{ access_key_id: '${secrets.access}', secret_access_key: '${secrets.secret}' },
    };
  }

  async function gateway(carrier: CarrierName, more: object = {}): Promise<GatewayProgram> {
    const path = scene.write(`gateway-${carrier}.yaml`, {
      secrets: {
        signing: { env: 'SIGNING' },
        bot: { env: 'BOT' },
        access: { env: 'ACCESS' },
        secret: { env: 'SECRET' },
      },
      network: { allow: ['127.0.0.1'] },
      logging: { level: 'debug' },
      zone: {
        gateway: {
          ...{ port: 0, signing_secret: '${secrets.signing}', bot_token: '${secrets.bot}' },
          ...{ chat: { url: `${chat.url}/api` }, store: { path: `gateway-${carrier}.db` } },
          ...{ budget: '100ms', polling: { first: '20ms', longest: '200ms' }, stop_timeout: '1s' },
          carrier: carriedBy(carrier),
          ...more,
        },
      },
    });
    const program = scene.start(['zone', 'gateway', '--config', path], {
      ...{ SIGNING: signingSecret, BOT: botToken },
      ...{ ACCESS: standInCredentials.accessKeyId, SECRET: standInCredentials.secretAccessKey },
    });
    const { url } = await program.logged({ message: 'takes messages' });
    return { ...program, url: String(url) };
  }

  return {
    ...{ scene, chat, runtime, execution, gateway },
    reach: (path, shown) => post(at(path), Buffer.from(asking(shown)), shows[shown]),
    close: async () => {
      await scene.close();
      await Promise.all([research.close(), write.close(), chat.close(), runtime.close()]);
    },
  };
}

/** A request that nobody could refuse but for whoever sends it. */
function asking(text: string): string {
  const params = { channel: 'C1', text, bot_token: botToken };
  return JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'execute_task', params });
}

type Shown = { readonly ca: string; readonly cert?: string; readonly key?: string };

/** How the runtime reaches its container here: with a certificate, as everybody has to who reaches the execution zone. */
function post(url: string, body: Uint8Array, shown: Shown): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = ask(url, { method: 'POST', headers, ...shown }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text)).on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
