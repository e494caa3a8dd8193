import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint } from '../../carrier.ts';
import { serveZoneStdio } from './serve.ts';

/** Serves an endpoint of this process on a socket, which a child of it can make its standard streams. */
export async function relayTo(
  endpoint: Endpoint,
  max_bytes?: number,
): Promise<{ socket: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'zone-relay-'));
  const socket = join(folder, 'zone.sock');
  const open = new Set<Socket>();
  const stopping = new AbortController();
  const server = createServer((stream) => {
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    stream.on('error', () => stream.destroy());
    const streams = { input: stream, output: stream, ...(max_bytes === undefined ? {} : { max_bytes }) };
    void serveZoneStdio({ endpoint, stopping: stopping.signal }, streams);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    close: async () => {
      stopping.abort();
      for (const stream of open) stream.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
