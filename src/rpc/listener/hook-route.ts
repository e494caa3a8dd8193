import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcedLength } from './body.ts';
import { overBounds } from './bounds.ts';
import { called, refuseThrown, sendPlain } from './get-route.ts';
import { tooLarge } from './refusal.ts';
import type { HookRoute } from './route.ts';
import type { Shared } from './shared.ts';
import { type BodyExchange, withBody } from './with-body.ts';

/** What a service outside sends, byte for byte: whoever answers holds its signature against the bytes. */
export function serveHook(shared: Shared, route: HookRoute) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const state = shared.connections.of(request.socket);
    const { body_bytes } = shared.limits;
    const refusal = announcedLength(request) > body_bytes ? tooLarge(body_bytes) : overBounds(shared, state);
    if (refusal !== null) shared.refuse(request, response, refusal, 'plain');
    else void serve({ shared, request, response, state }, route);
  };
}

async function serve(exchange: BodyExchange, route: HookRoute): Promise<void> {
  const { shared, request, response, state } = exchange;
  try {
    await withBody(exchange, async (body) => {
      const asked = called(request, null, state.signal);
      await sendPlain(shared, response, await route.answer({ ...asked, body }));
    });
  } catch (thrown) {
    refuseThrown(shared, request, response, thrown);
  }
}
