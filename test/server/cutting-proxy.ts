import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Cut = {
  /** Which way the last byte went. */
  readonly way: 'down' | 'up';
  readonly bytes: number;
};

export type CuttingProxy = {
  /** host:port */
  readonly address: string;
  readonly cuts: readonly Cut[];
  /** Ends all connections at once, and lets new ones live. */
  cutAll(): void;
  close(): Promise<void>;
};

export type CuttingOptions = {
  /** Where the next connection goes. */
  readonly upstream: () => number;
  readonly random: () => number;
  /** So many connections are cut; those after them live. */
  readonly cuts: number;
  /** About so many bytes come down before a cut. */
  readonly bytes: number;
};

/** A request, a handshake or the answer to one fits in here. */
const GREETING = 600;

/**
 * Passes bytes on, and ends a connection after a random number of them: mostly in the middle of what is streamed, now
 * and then in the middle of the greetings, by a farewell or by a reset.
 */
export async function cuttingProxy(options: CuttingOptions): Promise<CuttingProxy> {
  const { upstream, random, cuts: most } = options;
  const cuts: Cut[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(upstream(), '127.0.0.1');
    const end = (cut?: Cut) => {
      if (cut !== undefined && !client.destroyed) cuts.push(cut);
      if (cut !== undefined && random() < 0.5) client.resetAndDestroy();
      else client.destroy();
      service.destroy();
    };
    const limits = cuts.length < most ? chooseLimits(options) : { down: Infinity, up: Infinity };
    pass(client, service, { limit: limits.up, end, way: 'up' });
    pass(service, client, { limit: limits.down, end, way: 'down' });
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts,
    cutAll() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

function chooseLimits({ random, bytes }: CuttingOptions): Record<Cut['way'], number> {
  const within = (most: number) => 1 + Math.floor(random() * most);
  const where = random();
  return {
    up: where < 0.15 ? within(GREETING) : Infinity,
    down: where > 0.85 ? within(GREETING) : within(2 * bytes),
  };
}

type Passing = { readonly limit: number; readonly way: Cut['way']; readonly end: (cut?: Cut) => void };

function pass(from: Socket, to: Socket, { limit, way, end }: Passing): void {
  let bytes = 0;
  from.on('data', (chunk: Buffer) => {
    const allowed = chunk.subarray(0, limit - bytes);
    bytes += allowed.length;
    if (bytes >= limit) {
      from.pause();
      to.write(allowed, () => end({ way, bytes }));
    } else if (!to.write(allowed)) from.pause();
  });
  to.on('drain', () => {
    if (bytes < limit) from.resume();
  });
  from.on('error', () => end());
  from.on('close', () => end());
}
