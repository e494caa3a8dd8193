import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../../carrier.ts';
import type { AgentCoreCredentials } from './carrier.ts';
import { type Expected, signatureTrouble } from './signature.suite.ts';

export const standInCredentials: AgentCoreCredentials = {
  accessKeyId: 'AKIDSTANDIN',
  secretAccessKey: 'stand-in/secret+key',
};
export const standInRegion = 'eu-central-1';
export const standInArn = `arn:aws:bedrock-agentcore:${standInRegion}:123456789012:runtime/zone-Ab12Cd34Ef`;

const service = 'bedrock-agentcore';
const TARGET = /^\/runtimes\/([^/?]+)\/invocations(?:\?|$)/;
const SESSION = 'x-amzn-bedrock-agentcore-runtime-session-id';

export type StandIn = {
  readonly url: string;
  /** Of every call that was let in, in their order. */
  readonly sessions: readonly string[];
  /** What was wrong with those that were not. */
  readonly refused: readonly string[];
  /** How many of the next calls are throttled. */
  throttle(calls: number): void;
  readonly throttled: number;
  close(): Promise<void>;
};

type Container = Endpoint | ((body: Uint8Array) => Promise<string>);

export type StandInOptions = {
  /** What runs in the container; or in that of a session, which it starts for each that it does not know. */
  readonly container: Container | { of(session: string): Container };
  /** Every so manieth call is throttled, counted from the first; none unless given. */
  readonly throttle_every?: number;
};

/** The service as far as a caller sees it: it checks the signature by itself, throttles, and hands payloads on as they are. */
export async function startStandIn({ container, throttle_every }: StandInOptions): Promise<StandIn> {
  const sessions: string[] = [];
  const refused: string[] = [];
  const seen = { calls: 0, throttled: 0, next: 0 };
  const started = new Map<string, Container>();

  function containerOf(session: string): Container {
    const found = started.get(session) ?? ('of' in container ? container.of(session) : container);
    started.set(session, found);
    return found;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const trouble = signatureTrouble(
      { method: request.method ?? '', target: request.url ?? '', headers: request.headers, body },
      expected(),
    );
    if (trouble !== null) {
      refused.push(trouble);
      return refuse(response, 403, 'AccessDeniedException');
    }
    const [, arn = ''] = TARGET.exec(request.url ?? '') ?? [];
    if (decodeURIComponent(arn) !== standInArn) return refuse(response, 404, 'ResourceNotFoundException');
    const session = String(request.headers[SESSION] ?? '');
    if (session.length < 33) return refuse(response, 400, 'ValidationException');
    seen.calls++;
    if (seen.next > 0 || (throttle_every !== undefined && seen.calls % throttle_every === 0)) {
      seen.next = Math.max(0, seen.next - 1);
      seen.throttled++;
      return refuse(response, 429, 'ThrottlingException');
    }
    sessions.push(session);
    const text = await containerOf(session)(body);
    response.writeHead(200, { 'content-type': 'application/json', [SESSION]: session }).end(text);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => refuse(response, 500, 'InternalServerException'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sessions,
    refused,
    throttle: (calls) => {
      seen.next = calls;
    },
    get throttled() {
      return seen.throttled;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function expected(): Expected {
  const { accessKeyId: access_key, secretAccessKey: secret_key } = standInCredentials;
  return { access_key, secret_key, region: standInRegion, service, now: Date.now() };
}

function refuse(response: ServerResponse, status: number, name: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': name });
  response.end(JSON.stringify({ message: 'the stand-in refuses' }));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
