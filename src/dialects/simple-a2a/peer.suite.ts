import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '../../core/json.ts';
import { listen, readRequest } from '../rest/peer.suite.ts';
import { type Act, actOverHttp, BUSY_MS, createActor } from '../testing/actor.suite.ts';

type Request = {
  readonly task_id: string;
  readonly input: { readonly method: string; readonly params: JsonObject };
};

/** An agent as somebody would write it by hand, without anything of ours, for the contract suite. */
export function startActing() {
  const play = createActor();
  return listen(async (request, response) => {
    const { method: verb, headers, body } = await readRequest(request);
    if (verb !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    const { task_id, input } = JSON.parse(body) as Request;
    const { method, params } = input;
    reply(response, task_id, await play({ id: task_id, method, headers: headers as JsonObject }, params));
  });
}

function reply(response: ServerResponse, task_id: string, act: Act): void {
  const json = { 'content-type': 'application/json' };
  const say = (code: number, answer: Readonly<Record<string, Json>>) =>
    response.writeHead(code, json).end(JSON.stringify({ task_id, ...answer }));
  if (act.act === 'silence' || actOverHttp(response, act)) return;
  if (act.act === 'cut') response.destroy();
  else if (act.act === 'garbage') response.writeHead(200, json).end('{"task_id":');
  else if (act.act === 'busy')
    response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end('slow down');
  else if (act.act === 'error')
    say(act.how === 'final' ? 200 : 500, { status: 'error', output: null, error: act.message });
  else if (act.act === 'result') say(200, { status: 'success', output: act.value, error: null });
}
