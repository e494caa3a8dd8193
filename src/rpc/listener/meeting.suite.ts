import type { ServerSocket } from '../websocket/server-socket.ts';
import type { Connection } from './route.ts';
import { call, type SocketClient } from './testing.suite.ts';

export type Called = { readonly context: Connection };

/** A method by which the test gets hold of the server's side. */
export function meeting() {
  const met = Promise.withResolvers<ServerSocket>();
  const meet = ({ context }: Called) => {
    if (context.socket !== null) met.resolve(context.socket);
  };
  return { methods: { meet }, socket: met.promise };
}

export async function ask(client: SocketClient, method: string, params: unknown = [], id: unknown = 1) {
  client.send(call(method, params, id));
  return JSON.parse(await client.next());
}
