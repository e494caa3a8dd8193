import { createServer } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { inFlight } from '../measure.ts';
import type { Payload, Result } from '../payload.ts';
import { loadPeer } from '../peers.ts';
import type { Place } from '../store.ts';
import type { Session, System } from '../system.ts';
import { Countdown, untilStart, Waiters } from '../waiters.ts';
import { type Work, workAt } from '../work.ts';

interface Context {
  run(name: string, action: () => Result | Promise<Result>): Promise<Result>;
}

interface Handlers {
  task(context: Context, input: Payload): Promise<Result>;
  chain(context: Context, input: Payload): Promise<Result>;
  fanOut(context: Context, input: readonly Payload[]): Promise<Result>;
}

type Listener = Parameters<typeof createServer>[1];

interface Sdk {
  service(definition: { name: string; handlers: Handlers }): unknown;
  createEndpointHandler(options: { services: readonly unknown[]; logger: () => void }): NonNullable<Listener>;
  readonly RestatePromise: { all(promises: readonly Promise<Result>[]): Promise<Result[]> };
}

interface Calls {
  task(input: Payload): Promise<Result>;
  chain(input: Payload): Promise<Result>;
  fanOut(input: readonly Payload[]): Promise<Result>;
}

interface Clients {
  connect(options: { url: string }): {
    serviceClient(service: { name: string }): Calls;
    serviceSendClient(service: { name: string }): Calls;
  };
}

const SENDS_IN_FLIGHT = 100;
const POLL_MS = 20;

export const system: System = {
  name: 'restate',
  stores: ['restate'],
  durability: { restate: 'WAL fsync on' },
  settings:
    'Restate 1.7.12 with the settings of its npm server (24 partitions, log-server WAL synced) and its TypeScript SDK 1.17: endpoint over HTTP/2 and ingress client in the measuring process; a task is a handler, a chain three ctx.run, a fan-out 100 of them under RestatePromise.all.',
  notes: [
    'W1: the endpoint holds all requests back until the drain begins, so part of the queue has already been sent to it; this favours it.',
    'W10: the single call is made by the handler itself, without ctx.run, which saves it a write.',
  ],
  without: { W8: 'no bulk submit' },
  share: { restate: 0.25 },
  open,
};

async function open(place: Place): Promise<Session> {
  const { url, adminUrl = '', space } = place;
  const work = workAt(place);
  const sdk = loadPeer<Sdk>('@restatedev/restate-sdk');
  const starts = new Waiters<number>();
  let handled: Countdown | undefined;
  const handlers = handlersOf(sdk, work, (task) => {
    starts.settle(task.key, performance.now());
    handled?.tick();
  });
  const name = `bench-${space}`;
  const endpoint = await serve(
    sdk.createEndpointHandler({ services: [sdk.service({ name, handlers })], logger: () => {} }),
  );
  await post(`${adminUrl}/deployments`, { uri: endpoint.url });
  const ingress = loadPeer<Clients>('@restatedev/restate-sdk-clients').connect({ url });
  const call = ingress.serviceClient({ name });
  const released = () => {
    endpoint.release();
    return call;
  };
  const send = ingress.serviceSendClient({ name });

  return {
    enqueue: (tasks) =>
      inFlight(tasks.length, SENDS_IN_FLIGHT, async (index) => {
        const input = tasks[index];
        if (input !== undefined) await send.task(input);
      }),
    drain: async (count) => {
      handled = new Countdown(count);
      endpoint.release();
      await handled.reached;
      while ((await completed(adminUrl, name)) < count) await pause(POLL_MS);
    },
    run: (input) => released().task(input),
    startLatency: async (input) => {
      endpoint.release();
      return untilStart(starts, input.key, () => send.task(input));
    },
    chain: (input) => released().chain(input),
    fanOut: (inputs) => released().fanOut(inputs),
    close: async () => {
      await endpoint.close();
      await work.close();
    },
  };
}

function handlersOf({ RestatePromise }: Sdk, work: Work, onStart: (task: Payload) => void): Handlers {
  return {
    task: async (_context, input) => {
      onStart(input);
      return work.handle(input);
    },
    chain: async (context, input) => {
      const first = await context.run('first', () => work.handle(input));
      const second = await context.run('second', () => work.handle(input, [first]));
      return context.run('third', () => work.handle(input, [second]));
    },
    fanOut: async (context, input) => {
      const results = await RestatePromise.all(
        input.map((one) => context.run(one.key, () => work.handle(one))),
      );
      return context.run('join', () => work.handle({ key: 'join', text: '' }, results));
    },
  };
}

interface Endpoint {
  readonly url: string;
  /** Lets requests through that were held back so far. */
  release(): void;
  close(): Promise<void>;
}

/** Serves the handlers, but holds every call back until released; discovery is answered at once. */
async function serve(listener: NonNullable<Listener>): Promise<Endpoint> {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    if (request.url.startsWith('/discover')) listener(request, response);
    else void released.then(() => listener(request, response));
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the endpoint has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    release: resolve,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const session of sessions) session.destroy();
      }),
  };
}

/** Asks the server itself how many invocations have their result stored. */
async function completed(adminUrl: string, service: string): Promise<number> {
  const where = `status = 'completed' and target_service_name = '${service}'`;
  const answer = await post(`${adminUrl}/query`, {
    query: `select count(*) as n from sys_invocation where ${where}`,
  });
  const { rows }: { rows: readonly { n: number }[] } = JSON.parse(answer);
  return rows[0]?.n ?? 0;
}

async function post(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}
