import { setTimeout as pause } from 'node:timers/promises';
import { percentile, seconds } from './measure.ts';
import { RpcSocket } from './rpc-socket.ts';
import type { Server } from './server-process.ts';
import type { SubscriberReport } from './system.ts';
import { Countdown } from './waiters.ts';

const IDLE = 1000;
const BUSY = 100;
const AT_ONCE = 50;
/** A pace that leaves the machine room: what is measured by it is how late events are, not how many can be had. */
const TASKS_PER_SECOND = 20;
const TICK_MS = 20;
const SETTLE_MS = 2000;
const ARRIVE_LIMIT_MS = 5 * 60_000;
const MEGABYTE = 1024 * 1024;
const NOBODY = '00000000-0000-7000-8000-000000000000';

interface Notification {
  readonly params: { readonly event: string; readonly at: string };
}

/** What 1,000 WebSockets that wait for nothing and 100 that hear of everything cost a server under load. */
export async function measureSubscribers(
  server: Server,
  tasks: number,
  submit: () => Promise<unknown>,
): Promise<SubscriberReport> {
  await pause(SETTLE_MS);
  const idle_mb = await megabytes(server);
  const audience = new Audience();
  await audience.enter(server.url);
  try {
    await pause(SETTLE_MS);
    const subscribed_mb = await megabytes(server);
    const paced = await audience.hear(tasks, () => evenly(tasks, submit));
    const burst = await audience.hear(tasks, () =>
      Promise.all(Array.from({ length: tasks }, () => submit())),
    );
    return {
      ...{ idle_mb, subscribed_mb, loaded_mb: await megabytes(server) },
      ...{ p50_ms: percentile(paced.lateness, 0.5), p99_ms: percentile(paced.lateness, 0.99) },
      delivered_per_second: burst.lateness.length / burst.elapsed,
    };
  } finally {
    audience.leave();
  }
}

/** Everybody who is subscribed; those who hear everything report together. */
class Audience {
  readonly #sockets: RpcSocket[] = [];
  readonly #cut = Promise.withResolvers<never>();
  #lateness: number[] = [];
  #completions: Countdown | undefined;

  async enter(url: string): Promise<void> {
    // Nobody waits for it while they enter.
    this.#cut.promise.catch(() => {});
    await this.#subscribe(url, { count: IDLE, filter: { workflow_id: NOBODY } });
    await this.#subscribe(url, { count: BUSY, filter: {} });
    for (const socket of this.#sockets) socket.onCut(this.#cut.reject);
  }

  /** Does some work of so many tasks, until everybody has heard that each of them completed. */
  async hear(
    tasks: number,
    work: () => Promise<unknown>,
  ): Promise<{ lateness: readonly number[]; elapsed: number }> {
    this.#lateness = [];
    this.#completions = new Countdown(tasks * BUSY);
    const limit = new AbortController();
    const elapsed = await seconds(() =>
      Promise.race([
        Promise.all([work(), this.#completions?.reached]),
        this.#cut.promise,
        tooLate(limit.signal),
      ]),
    );
    limit.abort();
    return { lateness: this.#lateness, elapsed };
  }

  leave(): void {
    for (const socket of this.#sockets) socket.close();
  }

  async #subscribe(url: string, { count, filter }: { count: number; filter: object }): Promise<void> {
    for (let opened = 0; opened < count; opened += AT_ONCE) {
      const size = Math.min(AT_ONCE, count - opened);
      const open = () => RpcSocket.open(url, (notification) => this.#heard(notification));
      const sockets = await Promise.all(Array.from({ length: size }, open));
      this.#sockets.push(...sockets);
      await Promise.all(sockets.map((socket) => socket.call('event.subscribe', filter)));
    }
  }

  #heard(notification: unknown): void {
    const { event, at } = (notification as Notification).params;
    this.#lateness.push(performance.timeOrigin + performance.now() - Date.parse(at));
    if (event === 'task:completed') this.#completions?.tick();
  }
}

/** At its pace, whatever the server is busy with: a load that waits for answers would wait with it. */
async function evenly(tasks: number, submit: () => Promise<unknown>): Promise<void> {
  const submits: Promise<unknown>[] = [];
  const begun = performance.now();
  while (submits.length < tasks) {
    const due = Math.min(tasks, ((performance.now() - begun) / 1000) * TASKS_PER_SECOND);
    while (submits.length < due) submits.push(submit());
    await pause(TICK_MS);
  }
  await Promise.all(submits);
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await pause(ARRIVE_LIMIT_MS, undefined, { signal });
  throw new Error(`events were still missing after ${ARRIVE_LIMIT_MS / 1000} s`);
}

async function megabytes(server: Server): Promise<number> {
  return (await server.residentBytes()) / MEGABYTE;
}
