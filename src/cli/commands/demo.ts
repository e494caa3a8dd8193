import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGleitzeit } from '../../index.ts';
import { packageFile } from '../../main/package-file.ts';
import type { ExitName } from '../exits.ts';
import type { Invocation } from '../spec.ts';
import { type Execution, reportProtocol } from './demo-workflow.ts';

export type DemoReport = {
  readonly kills: number;
  readonly tasks: number;
  readonly completed: number;
  readonly executed_twice_after_completion: number;
  readonly seconds: number;
};

/** Runs a workflow of five tasks in an engine that kills itself with -9 in the middle, and once more to the end. */
export async function demo({ flags, io }: Invocation): Promise<ExitName> {
  const json = flags.is('json') || io.format !== 'table';
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-demo-'));
  const began = performance.now();
  const say = (text: string) => (json ? io.stderr : io.stdout).write(`${text}\n`);
  try {
    say(
      'A workflow of five tasks: fetch → count + translate → join → publish. The engine will be killed half way.\n',
    );
    const first = await live(folder, 1, json);
    say(`\nkill -9 (the process ended with ${first}). Its store is all that is left. Starting again:\n`);
    const done = await completedTasks(folder);
    const second = await live(folder, 2, json);
    const report = check(folder, {
      killed: first === 'SIGKILL',
      done,
      began,
      after: await completedTasks(folder),
    });
    say(summary(report));
    if (flags.is('json')) io.stdout.write(`${JSON.stringify(report)}\n`);
    else if (json) await io.emit(report, { table: () => '', names: [] });
    return second === 0 && holds(report) ? 'ok' : 'failure';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One life of the engine, in a process of its own. */
function live(folder: string, life: number, json: boolean): Promise<number | string> {
  const program = fileURLToPath(packageFile('bin/gleitzeit.js'));
  const { promise, resolve, reject } = Promise.withResolvers<number | string>();
  const child = spawn(process.execPath, [program, 'demo-life', folder, String(life)], {
    stdio: ['ignore', json ? 2 : 'inherit', 'inherit'],
  });
  child.on('error', reject);
  child.on('exit', (code, signal) => resolve(signal ?? code ?? 1));
  return promise;
}

/** What the store says has completed, read while no engine runs. */
async function completedTasks(folder: string): Promise<ReadonlySet<string>> {
  const store = { type: 'sqlite', path: join(folder, 'store.db') } as const;
  const gleitzeit = await createGleitzeit({ store, protocols: [reportProtocol], providers: [] });
  const { items } = await gleitzeit.tasks({ status: ['completed'], limit: 100 });
  await gleitzeit.stop();
  return new Set(items.map(({ id }) => id));
}

function check(
  folder: string,
  seen: { killed: boolean; done: ReadonlySet<string>; after: ReadonlySet<string>; began: number },
): DemoReport {
  const lines = readFileSync(join(folder, 'executions.jsonl'), 'utf8').trimEnd().split('\n');
  const executions = lines.map((text) => JSON.parse(text) as Execution);
  return {
    kills: seen.killed ? 1 : 0,
    tasks: 5,
    completed: seen.after.size,
    executed_twice_after_completion: executions.filter(
      ({ life, method }) => life === 2 && seen.done.has(method),
    ).length,
    seconds: Math.round(performance.now() - seen.began) / 1000,
  };
}

function holds(report: DemoReport): boolean {
  return (
    report.kills === 1 && report.completed === report.tasks && report.executed_twice_after_completion === 0
  );
}

function summary(report: DemoReport): string {
  const again = report.executed_twice_after_completion;
  return `
${report.completed} of ${report.tasks} tasks completed over ${report.kills} kill -9 in ${report.seconds.toFixed(1)} s; ${
    again === 0 ? 'nothing that had finished ran again.' : `${again} ran again after they had finished!`
  }`;
}
