import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export type CuttingProxy = {
  readonly url: string;
  /** Passes the next message to the server that contains the word, and cuts off instead of passing its answer. */
  cutAfter(word: string): void;
  close(): Promise<void>;
};

export async function cuttingProxy(port: number): Promise<CuttingProxy> {
  let word: string | null = null;
  const server: Server = createServer((client: Socket) => {
    const upstream = connect(port, '127.0.0.1');
    let cutting = false;
    client.on('data', (data) => {
      if (word !== null && data.includes(word)) {
        cutting = true;
        word = null;
      }
      upstream.write(data);
    });
    let answered = '';
    upstream.on('data', (data) => {
      if (!cutting) return client.write(data);
      answered += data.toString('latin1');
      if (answered.includes('COMMIT')) client.destroy();
      return false;
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('close', () => other.destroy());
      socket.on('error', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP listener without a port');
  return {
    url: `postgres://postgres@127.0.0.1:${address.port}/postgres`,
    cutAfter(next) {
      word = next;
    },
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
