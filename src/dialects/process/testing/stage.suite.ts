import { execFileSync } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Json, JsonObject } from '../../../core/json.ts';
import { BUSY_MS, createActor } from '../../testing/actor.suite.ts';

/** The interpreter itself: what stands in its place on some machines takes longer to start than the program. */
export function pythonProgram(): string {
  return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}

export const peerProgram = fileURLToPath(new URL('./peer.py', import.meta.url));

type Asked = {
  readonly id: Json;
  readonly method: string;
  readonly headers: JsonObject;
  readonly params: JsonObject;
};

/** Directs programs that live for one call each: what one is told, another may have to know. */
export async function startDirector() {
  const play = createActor();
  const lines = new Set<Socket>();
  const server = createServer((line) => {
    lines.add(line);
    line.on('error', () => {});
    line.on('close', () => lines.delete(line));
    createInterface({ input: line }).once('line', async (text) => {
      const { params, ...call } = JSON.parse(text) as Asked;
      const act = await play(call, params);
      if (act.act !== 'silence')
        line.end(`${JSON.stringify(act.act === 'busy' ? { ...act, ms: BUSY_MS } : act)}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 511 }, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: async () => {
      for (const line of lines) line.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
