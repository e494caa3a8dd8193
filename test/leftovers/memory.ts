/*
 * What a house holds after many calls, against what it held after the first few thousand: pools of several providers, of
 * which one fails and one is not there, limits with another key for each call, and an in-process provider.
 *
 *   node --expose-gc test/leftovers/memory.ts --calls 100000
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { functionProvider } from '../../src/dialects/function/provider.ts';
import { type House, openHouse } from '../../src/main/house.ts';
import { loadServerConfig } from '../../src/main/load.ts';
import { observe } from '../../src/main/observation.ts';
import { Opened } from '../../src/main/opened.ts';
import { lineLogger } from '../../src/telemetry/logger.ts';

/** For 100,000 calls; of fewer calls their share, of more no more. */
const MOST_MB = 20;
const OF_CALLS = 100_000;
/**
 * What is resident also follows what the store's cache takes, and memory that was given back and is not asked for again. That
 * is the same however many calls are made, so a bound without it would hide a leak in a short run or refuse one that has none.
 */
const CACHES_MB = 17;
/** By then everything that is kept up to a number is full. */
const WARM_UP = 10_000;
const AT_ONCE = 200;
const LOOKS = 5;
const WAIT_MS = 60_000;

const { values } = parseArgs({ options: { calls: { type: 'string', default: '100000' } } });
const calls = Number(values.calls);
const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-memory-'));
const agent = fork(fileURLToPath(new URL('./memory-agent.ts', import.meta.url)));
const opened = new Opened();
try {
  const [url] = await once(agent, 'message');
  const house = await open(String(url));
  await run(house, 0, WARM_UP);
  const before = await settledMemory();
  tell(WARM_UP, before);
  const from = performance.now();
  for (let look = 1; look <= LOOKS; look++) {
    const step = Math.ceil(calls / LOOKS);
    await run(house, WARM_UP + (look - 1) * step, step);
    tell(WARM_UP + look * step, await settledMemory());
  }
  const after = await settledMemory();
  const grown = { heap: after.heap - before.heap, rss: after.rss - before.rss };
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  const { made, failed } = counts(house);
  const share = Math.min(1, calls / OF_CALLS);
  const most = { heap: MOST_MB * share, rss: CACHES_MB + (MOST_MB - CACHES_MB) * share };
  const much = grown.rss > most.rss * 2 ** 20 || grown.heap > most.heap * 2 ** 20;
  console.log(
    `${calls} tasks in ${seconds} s; with the warm-up ${made} calls were made, of which ${failed} failed. ` +
      `The heap and its buffers have grown by ${mb(grown.heap)}, what is resident by ${mb(grown.rss)}${much ? ': too much' : ''}.`,
  );
  process.exitCode = much ? 1 : 0;
} finally {
  await opened.close(5000);
  agent.disconnect();
  rmSync(folder, { recursive: true, force: true });
}

async function open(url: string): Promise<House> {
  const http = (id: string, address: string, more: object = {}) => ({
    id,
    type: 'jsonrpc-http',
    config: { url: address },
    ...more,
  });
  const text = JSON.stringify({
    store: { type: 'sqlite', path: join(folder, 'store.db') },
    protocols: [
      {
        name: 'http/v1',
        methods: { say: { params: { user: { type: 'string' } } } },
        limits: { concurrency: 100, per_key: { key: 'params.user', concurrency: 1, rate: '10/s' } },
        providers: [
          http('well', `${url}/well`, {
            limits: { rate: '100000/s' },
            health: { every: '1s', method: 'say' },
          }),
          http('flaky', `${url}/flaky`, { breaker: { cool_down: '100ms', most_cool_down: '1s' } }),
          http('away', 'http://127.0.0.1:1', { breaker: { cool_down: '100ms', most_cool_down: '1s' } }),
        ],
      },
      { name: 'local/v1', methods: { say: {} }, providers: [] },
    ],
  });
  const surroundings = { env: {}, cwd: folder, database_url: false };
  const config = await loadServerConfig({ file: join(folder, 'gleitzeit.yaml'), text, ...surroundings });
  const house = await openHouse({
    config: () => config,
    environment: {},
    logger: lineLogger(
      'silent',
      () => {},
      () => new Date(),
    ),
    opened,
    serverStats: async () => null,
    observe,
    // What its threads have thrown away nobody can have collected from here: with one thread all of it is counted.
    same_thread: true,
  });
  house.pools.connect(
    functionProvider({ id: 'local', protocol: 'local/v1', methods: { say: () => 'said' } }),
  );
  return house;
}

/** Three of four over HTTP, each for a user of its own. */
async function run({ engine }: House, first: number, count: number): Promise<void> {
  let next = first;
  const one = async (): Promise<void> => {
    while (next < first + count) {
      const number = next++;
      const protocol = number % 4 === 0 ? 'local/v1' : 'http/v1';
      const params = protocol === 'http/v1' ? { user: `user-${number}` } : {};
      const retry_config = { max_attempts: 20, initial_delay: 0.001, max_delay: 0.1 };
      const { tasks } = await engine.submit({ protocol, method: 'say', params, retry_config });
      const outcome = await engine.result(tasks[0]?.[1] ?? '', WAIT_MS);
      if (outcome?.status !== 'completed')
        throw new Error(`task ${number} is ${outcome?.status}: ${outcome?.error?.message}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

function counts({ pools }: House): { made: number; failed: number } {
  const sum = (key: 'calls' | 'errors') => pools.providers().reduce((all, one) => all + one[key], 0);
  return { made: sum('calls'), failed: sum('errors') };
}

/** `heap`: with what buffers hold beside it. */
type Memory = { readonly heap: number; readonly rss: number };

/** What was thrown away is collected, also what a second look finds to be unused after the first. */
async function settledMemory(): Promise<Memory> {
  for (let time = 0; time < 3; time++) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

function tell(after: number, { heap, rss }: Memory): void {
  console.error(`after ${after} tasks: heap ${mb(heap)}, resident ${mb(rss)}`);
}

function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
