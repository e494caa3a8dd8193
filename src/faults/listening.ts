import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

export type FaultProxy = {
  readonly port: number;
  /** No connection, timer or request is left. Safe to repeat. */
  close(): Promise<void>;
};

/** At a port of the loopback that is free. `endAll` ends what a server that takes no more would wait for. */
export async function listenOnLoopback(server: Server, endAll: () => void): Promise<FaultProxy> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let closing: Promise<void> | null = null;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    endAll();
    await closed;
  };
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
