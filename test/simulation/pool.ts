import { Worker } from 'node:worker_threads';
import type { Options } from './options.ts';
import type { Chunk, Report } from './worker.ts';

const CHUNK = 10;
/** So few are done before a thread has loaded the world. */
const FEW = 3;

/** Hands out ranges of seeds to threads, lowest first, and calls `heard` with what each range gave. */
export async function runAll(options: Options, heard: (report: Report) => void): Promise<void> {
  const { from, seeds, first } = options;
  const end = from + seeds;
  if (seeds <= FEW) return heard(await (await import('./worker.ts')).work({ from, to: end, first }));
  let next = from;
  let failed = false;
  const nextChunk = (): Chunk | null => {
    if (next >= end || (first && failed)) return null;
    const chunk = { from: next, to: Math.min(end, next + CHUNK), first };
    next = chunk.to;
    return chunk;
  };
  const workers = Math.min(options.workers, Math.ceil(seeds / CHUNK));
  await Promise.all(
    Array.from({ length: workers }, () =>
      runWorker(nextChunk, (report) => {
        failed ||= report.failing.length > 0;
        heard(report);
      }),
    ),
  );
}

function runWorker(nextChunk: () => Chunk | null, heard: (report: Report) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL('./worker.ts', import.meta.url));
  const give = () => {
    const chunk = nextChunk();
    if (chunk !== null) worker.postMessage(chunk);
    else void worker.terminate().then(() => resolve());
  };
  worker.on('message', (report: Report) => {
    heard(report);
    give();
  });
  worker.on('error', reject);
  give();
  return promise;
}
