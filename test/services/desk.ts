import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka } from './kafka.ts';
import { startRabbit } from './rabbitmq.ts';
import { startRedis } from './redis.ts';
import type { Restartable } from './restartable.ts';

/** Services that are started when the first test of a run asks for them. */
const services = {
  kafka: { start: startKafka, given: 'GLEITZEIT_TEST_KAFKA_BROKERS' },
  redis: { start: startRedis, given: 'GLEITZEIT_TEST_REDIS_URL' },
  rabbitmq: { start: startRabbit, given: 'GLEITZEIT_TEST_RABBITMQ_URL' },
};

export type SharedService = keyof typeof services;

export type Desk = { readonly path: string; close(): Promise<void> };

/**
 * Where tests ask for a service: it listens in vitest's main process, which outlives every test, and starts what is asked
 * for there. So a service is shared by the whole run, ends with it, and costs nothing where nobody asks.
 */
export async function openDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-desk-'));
  const path = join(folder, 'socket');
  const started = new Map<string, Promise<Restartable>>();
  const address = async (name: string): Promise<string> => {
    if (!Object.hasOwn(services, name)) throw new Error(`there is no service ${name}`);
    const { start, given } = services[name as SharedService];
    const known = process.env[given];
    if (known !== undefined && known !== '') return known;
    const service = started.get(name) ?? start();
    started.set(name, service);
    return (await service).url;
  };
  const serve = async (socket: Socket): Promise<void> => {
    const [question] = await once(socket, 'data');
    const answer = await address(String(question)).then(
      (url) => ({ url }),
      (error: unknown) => ({ error: String(error instanceof Error ? (error.stack ?? error) : error) }),
    );
    socket.end(JSON.stringify(answer));
  };
  const server = createServer((socket) => {
    // A test that was stopped does not wait for its answer.
    socket.on('error', () => undefined);
    void serve(socket).catch(() => undefined);
  });
  server.listen(path);
  await once(server, 'listening');
  // A run that has ended otherwise must not be kept by it.
  server.unref();
  return {
    path,
    async close() {
      server.close();
      await Promise.all(
        [...started.values()].map((service) =>
          service.then(
            (it) => it.stop(),
            () => undefined,
          ),
        ),
      );
      await rm(folder, { recursive: true, force: true });
    },
  };
}
