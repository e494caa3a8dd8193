import type { IncomingMessage, ServerResponse } from 'node:http';
import { admit, called, isRefusal, refuseThrown } from './get-route.ts';
import { stopping, tooManyStreams } from './refusal.ts';
import type { Caller, StreamEvent, StreamRoute } from './route.ts';
import type { Lasting, Shared } from './shared.ts';

/** Server-sent events: as many as the peer takes, and no more in memory than one. */
export function serveStream(shared: Shared, route: StreamRoute) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (shared.quiet) shared.refuse(request, response, stopping, 'plain');
    else if (shared.streams.size >= shared.limits.streams)
      shared.refuse(request, response, tooManyStreams, 'plain');
    else void serve(shared, route, request, response);
  };
}

async function serve(
  shared: Shared,
  route: StreamRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const controller = new AbortController();
  let known: Caller | null = null;
  const lasting: Lasting = {
    get caller() {
      return known;
    },
    finish: () => controller.abort(),
    destroy: () => response.destroy(),
  };
  response.once('close', () => controller.abort());
  shared.streams.add(lasting);
  try {
    const caller = await admit(shared, request, route.access);
    if (isRefusal(caller)) return shared.refuse(request, response, caller, 'plain');
    known = caller;
    const events = await route.open(called(request, caller, controller.signal));
    await pump(shared, events, response, controller.signal);
    response.end();
  } catch (thrown) {
    // A stream that has begun can only be cut; whoever listens comes again with the last event it has seen.
    if (!controller.signal.aborted) refuseThrown(shared, request, response, thrown);
    else response.end();
  } finally {
    shared.streams.delete(lasting);
    shared.settled();
  }
}

async function pump(
  shared: Shared,
  events: AsyncIterable<StreamEvent>,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-accel-buffering', 'no');
  response.writeHead(200);
  response.write(': here\n\n');
  // The timer of the socket starts anew with every byte that leaves: only a peer that takes nothing lets it end.
  response.setTimeout(shared.limits.pulse_ms * 3, () => response.destroy());
  const stopBeating = shared.pulse.add(() => {
    if (!response.writableNeedDrain) response.write(': still here\n\n');
  });
  try {
    for await (const event of events) {
      if (signal.aborted) return;
      if (!response.write(eventText(event))) await drained(response, signal);
    }
  } finally {
    stopBeating();
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done);
  });
}

/** Names and ids come from us; only data may have several lines. */
function eventText({ id, event, data }: StreamEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  const lines = data === undefined ? [] : data.split(/\r\n|\r|\n/);
  return `${head}${lines.map((line) => `data: ${line}\n`).join('')}\n`;
}
