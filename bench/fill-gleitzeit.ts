import type { StoreOptions } from '../src/index.ts';
import { openBench, Progress } from './gleitzeit.ts';
import { payloads } from './payload.ts';

/** Fills a store in a process of its own, by the same engine that is measured on it later. */
const [, , storeText = '', amountsText = ''] = process.argv;
const { finished, waiting } = JSON.parse(amountsText) as { finished: number; waiting: number };
const progress = new Progress();
const bench = await openBench(JSON.parse(storeText) as StoreOptions, () => progress.handled());
const CALL = 1000;

for (let done = 0; done < waiting; done += CALL) {
  const size = Math.min(CALL, waiting - done);
  await bench.submitMany(
    Array.from(
      { length: size },
      (_, index) =>
        ({
          protocol: 'nobody/v1',
          method: 'wait',
          params: { key: `${done + index}` },
        }) as const,
    ),
  );
}
await progress.completed(bench, finished, async () => {
  for (let done = 0; done < finished; done += CALL) {
    const tasks = payloads(`fill-${done}`, Math.min(CALL, finished - done));
    await bench.submitMany(
      tasks.map((params) => ({ protocol: 'bench/v1', method: 'work', params }) as const),
    );
  }
});
await bench.stop();
process.disconnect?.();
