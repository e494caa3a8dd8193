import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '../../../core/json.ts';
import { listIn, objectIn } from '../../../core/members.ts';
import { listen, readRequest } from '../../rest/peer.suite.ts';
import { type Act, actOverHttp, BUSY_MS, createActor } from '../../testing/actor.suite.ts';
import type { WireVersion } from '../wire/model.ts';

type Way = { readonly version: WireVersion; readonly stream: boolean };

/** An agent that follows the directions of the suite: the method is `act`, the result what it brought as data, or as text. */
export function startActing({ version, stream }: Way) {
  const play = createActor();
  return listen(async (request, response) => {
    const { headers, method, path, body } = await readRequest(request);
    if (method === 'GET') {
      if (path !== '/.well-known/agent-card.json') response.writeHead(404).end();
      else
        response.writeHead(200, json).end(JSON.stringify(card(`http://${headers.host}/`, version, stream)));
      return;
    }
    const asked = JSON.parse(body) as { id: string; method: string; params: JsonObject };
    const call = { id: asked.id, method: asked.method, headers: headers as JsonObject };
    const act = await play(call, directionIn(asked.params));
    if (act.act === 'silence' || actOverHttp(response, act)) return;
    if (act.act === 'cut') response.destroy();
    else if (act.act === 'garbage') response.writeHead(200, json).end('garbage');
    else if (act.act === 'busy') busy(response, asked.id);
    else if (act.act === 'error')
      say(response, { jsonrpc: '2.0', id: asked.id, error: errorOf(act) }, stream);
    else if (act.act === 'result')
      say(response, { jsonrpc: '2.0', id: asked.id, result: completed(act.value, version) }, stream);
  });
}

const json = { 'content-type': 'application/json' };

function directionIn(params: JsonObject): JsonObject {
  const parts = listIn(objectIn(params, 'message'), 'parts');
  const data = parts.map((part) => objectIn(part, 'data')).find((one) => 'params' in one);
  return objectIn(data, 'params');
}

function say(response: ServerResponse, message: object, stream: boolean): void {
  const text = JSON.stringify(message);
  if (!stream) response.writeHead(200, json).end(text);
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${text}\n\n`);
}

function busy(response: ServerResponse, id: string): void {
  const headers = { ...json, 'retry-after': String(BUSY_MS / 1000) };
  const error = { code: -32000, message: 'slow down' };
  response.writeHead(429, headers).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}

function errorOf({ how, message }: Extract<Act, { act: 'error' }>) {
  return { code: how === 'final' ? -32602 : -32603, message };
}

/** Data has to be an object in 0.3; text may be any JSON. */
function completed(value: Json, version: WireVersion): JsonObject {
  const text = JSON.stringify(value);
  if (version === '0.3') {
    const artifacts = [{ artifactId: 'a', parts: [{ kind: 'text', text }] }];
    return { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' }, artifacts };
  }
  const artifacts = [{ artifactId: 'a', parts: [{ data: value }] }];
  return { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, artifacts } };
}

function card(url: string, version: WireVersion, streaming: boolean): JsonObject {
  const common = { name: 'actor', version: '1', capabilities: { streaming }, skills: [] };
  if (version === '0.3') return { ...common, protocolVersion: '0.3.0', url };
  return { ...common, supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] };
}
