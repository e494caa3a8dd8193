import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Somebody the server calls. It answers at once until it is told to hold. */
export type Service = {
  /** Host and port. */
  readonly host: string;
  /** Connections that are open at this moment. */
  connections(): number;
  /** From now on nothing is answered. */
  hold(): void;
  /** Answers what was held, and what comes from now on. */
  release(): void;
  /** Resolves when so many calls are held. */
  holding(count: number): Promise<void>;
  close(): Promise<void>;
};

export async function serviceOf(server: Server, turnstile: Turnstile): Promise<Service> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    connections: () => open.size,
    hold: () => turnstile.hold(),
    release: () => turnstile.release(),
    holding: (count) => turnstile.holding(count),
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Lets everybody through, or nobody. */
export class Turnstile {
  #held: (() => void)[] = [];
  #watchers: (() => void)[] = [];
  isHolding = false;

  hold(): void {
    this.isHolding = true;
  }

  release(): void {
    this.isHolding = false;
    for (const go of this.#held.splice(0)) go();
  }

  async pass(): Promise<void> {
    if (!this.isHolding) return;
    await new Promise<void>((resolve) => {
      this.#held.push(resolve);
      for (const look of this.#watchers) look();
    });
  }

  holding(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#held.length >= count) resolve();
      };
      this.#watchers.push(look);
      look();
    });
  }
}
