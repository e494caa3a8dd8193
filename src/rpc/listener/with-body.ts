import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from './body.ts';
import { overBounds } from './bounds.ts';
import type { ConnectionState } from './connections.ts';
import type { Shared } from './shared.ts';

export type BodyExchange = {
  readonly shared: Shared;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: ConnectionState;
};

/** Reads the body, bounded, and has it answered. What the body holds counts until that is done. */
export async function withBody(
  exchange: BodyExchange,
  answer: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const { shared, request, response } = exchange;
  const body = await readBody(request, shared.held, shared.limits.body_bytes);
  if (body.is === 'gone') return;
  if (body.is === 'refused') return shared.refuse(request, response, body.refusal, 'plain');
  try {
    await within(exchange, () => answer(body.bytes));
  } finally {
    shared.held.give(body.held);
  }
}

/** As one of the requests that are worked on, if there is room for it. */
export async function within(exchange: BodyExchange, answer: () => Promise<void>): Promise<void> {
  const { shared, request, response, state } = exchange;
  const overBound = overBounds(shared, state);
  shared.connections.begin(state);
  try {
    if (overBound === null) await answer();
    else shared.refuse(request, response, overBound, 'plain');
  } finally {
    shared.connections.end(state);
    shared.settled();
  }
}
