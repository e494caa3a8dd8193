import type { JsonObject } from '../../core/json.ts';
import { listen, readRequest } from '../rest/peer.suite.ts';
import { actOverHttp, BUSY_MS, createActor } from '../testing/actor.suite.ts';

/** A GraphQL server with one field, `act(direction: JSON)`, written by hand. */
export function startActing() {
  const play = createActor();
  return listen(async (request, response) => {
    const { method: verb, headers, path, body } = await readRequest(request);
    if (verb !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    const { variables } = JSON.parse(body) as { variables: { direction: JsonObject } };
    const id = String(headers['idempotency-key'] ?? '');
    const act = await play({ id, method: path, headers: headers as JsonObject }, variables.direction);
    const json = { 'content-type': 'application/graphql-response+json' };
    const say = (value: unknown) => response.writeHead(200, json).end(JSON.stringify(value));
    if (act.act === 'silence' || actOverHttp(response, act)) return;
    if (act.act === 'cut') response.destroy();
    else if (act.act === 'garbage') response.writeHead(200, json).end('{"data":null}');
    else if (act.act === 'busy')
      response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end('slow down');
    else if (act.act === 'error') {
      const code = act.how === 'final' ? 'BAD_USER_INPUT' : 'INTERNAL_SERVER_ERROR';
      say({ data: null, errors: [{ message: act.message, path: ['act'], extensions: { code } }] });
    } else if (act.act === 'result') say({ data: { act: act.value } });
  });
}
