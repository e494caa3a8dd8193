import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { latencies, percentile } from './measure.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly system: string;
  readonly node: string;
  /** Append of 4 KB and fsync in the temporary folder, where every store of the benchmark lives. */
  readonly fsync_ms: { readonly p50: number; readonly p99: number };
  /** Load of the last minute before the first run: near 0 on a machine of our own. */
  readonly load: number;
  readonly date: string;
}

export async function probeMachine(now: Date): Promise<Machine> {
  const samples = await fsyncLatencies(200);
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    fsync_ms: { p50: round(percentile(samples, 0.5)), p99: round(percentile(samples, 0.99)) },
    load: round(loadavg()[0] ?? 0),
    date: now.toISOString().slice(0, 10),
  };
}

async function fsyncLatencies(count: number): Promise<number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'gleitzeit-bench-fsync-'));
  const file = openSync(join(directory, 'probe'), 'a');
  const page = Buffer.alloc(4096, 1);
  try {
    return await latencies(count, async () => {
      writeSync(file, page);
      fsyncSync(file);
    });
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true });
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
