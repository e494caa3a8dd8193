import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../core/json.ts';
import { type Act, actOverHttp, BUSY_MS, createActor } from '../../testing/actor.suite.ts';
import type { Api } from '../config.ts';
import { type Heard, speeches } from './speech.suite.ts';

export type ModelOptions = {
  /** Without it everybody may ask. */
  readonly key?: string;
  /** What it says, in the pieces it says it in. */
  readonly says?: (text: string) => readonly string[];
};

/** A service in the documented shapes of a vendor. Asked for a direction of the contract suite, it follows it. */
export async function startModel(
  api: Api,
  { key, says = (text) => ['You said: ', text] }: ModelOptions = {},
) {
  const speech = speeches[api];
  const play = createActor();
  const heard: Heard[] = [];

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    if (request.method === 'GET') return list(request, response);
    const body = JSON.parse(text) as JsonObject;
    const found = speech.heard(new URL(request.url ?? '', 'http://model').pathname, body);
    if (!isKnown(request)) return refuse(response, 401, 'invalid key');
    if (found === null) return refuse(response, 404, 'there is no such method');
    heard.push(found);
    const direction = directionIn(found.text);
    if (direction === null) return speak(response, found, says(found.text));
    const id = String(request.headers['idempotency-key']);
    const act = await play({ id, method: 'act', headers: request.headers as JsonObject }, direction);
    follow(response, found, act);
  }

  function isKnown({ headers }: IncomingMessage): boolean {
    return key === undefined || speech.keys.some(([name, before]) => headers[name] === `${before}${key}`);
  }

  /** Its models, without a word about any. */
  function list(request: IncomingMessage, response: ServerResponse): void {
    if (!/\/(?:models|tags)$/.test(request.url ?? '')) refuse(response, 404, 'there is no such page');
    else if (!isKnown(request)) refuse(response, 401, 'invalid key');
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  }

  function follow(response: ServerResponse, found: Heard, act: Act): void {
    if (actOverHttp(response, act)) return;
    if (act.act === 'result') {
      const text = JSON.stringify(act.value);
      const middle = Math.ceil(text.length / 2);
      speak(response, found, [text.slice(0, middle), text.slice(middle)]);
    } else if (act.act === 'error') refuse(response, act.how === 'final' ? 400 : 500, act.message);
    else if (act.act === 'busy')
      refuse(response, 429, 'slow down', { 'retry-after': String(BUSY_MS / 1000) });
    else if (act.act === 'garbage')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>not here</html>');
    else if (act.act === 'cut') response.destroy();
  }

  function speak(response: ServerResponse, found: Heard, words: readonly string[]): void {
    if (!found.stream) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(speech.whole(found, words.join(''))));
      return;
    }
    response.writeHead(200, { 'content-type': speech.stream_type });
    for (const piece of speech.pieces(found, words)) response.write(piece);
    response.end();
  }

  function refuse(response: ServerResponse, status: number, message: string, headers = {}): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(speech.error(status, message)));
  }

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** As people would write it in a configuration. */
    url: `http://127.0.0.1:${port}${api === 'openai' ? '/v1' : ''}`,
    heard: (): readonly Heard[] => heard,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function directionIn(text: string): JsonObject | null {
  if (!text.startsWith('{"do":')) return null;
  return JSON.parse(text) as JsonObject;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
