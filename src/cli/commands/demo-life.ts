import { join } from 'node:path';
import { styleText } from 'node:util';
import { createGleitzeit, type Event, type Gleitzeit } from '../../index.ts';
import type { ExitName } from '../exits.ts';
import type { Invocation } from '../spec.ts';
import { reportMethods, reportProtocol, reportWorkflow } from './demo-workflow.ts';

const KEY = 'demo-report';

/** One life of the engine in the demo. The first one ends itself with kill -9 as soon as the diamond is half done. */
export async function demoLife({ arguments: [folder = '', number = ''] }: Invocation): Promise<ExitName> {
  const life = Number(number);
  const began = Date.now();
  const gleitzeit = await createGleitzeit({
    store: { type: 'sqlite', path: join(folder, 'store.db') },
    protocols: [reportProtocol],
    providers: [
      {
        id: `functions of life ${life}`,
        protocol: 'report/v1',
        methods: reportMethods({ file: join(folder, 'executions.jsonl'), life }),
      },
    ],
  });
  // The same key answers with the same run, in the second life too.
  const run = await gleitzeit.submit(reportWorkflow, {
    input: { topic: 'durable work' },
    idempotency_key: KEY,
  });
  const names = new Map(Object.entries(run.tasks).map(([id, task_id]) => [task_id, id]));
  const finished = await show(gleitzeit, { workflow_id: run.workflow_id, names, began, die: life === 1 });
  await gleitzeit.stop();
  return finished ? 'ok' : 'failure';
}

type Showing = {
  readonly workflow_id: string;
  readonly names: ReadonlyMap<string, string>;
  /** What happened before this life is told in one line. */
  readonly began: number;
  readonly die: boolean;
};

async function show(gleitzeit: Pick<Gleitzeit, 'events'>, showing: Showing): Promise<boolean> {
  const { workflow_id, names, began, die } = showing;
  const earlier: string[] = [];
  for await (const event of gleitzeit.events({ workflow_id, cursor: 0 })) {
    const task = names.get(event.task_id ?? '') ?? 'workflow';
    if (event.at < began) {
      if (event.event === 'task:completed') earlier.push(task);
      continue;
    }
    if (earlier.length > 0)
      line({ task: 'kept', words: `${earlier.splice(0).join(', ')}: completed before the kill` });
    const words = describe(event);
    if (words !== null) line({ seconds: (event.at - began) / 1000, task, words });
    if (event.event === 'workflow:completed') return true;
    if (event.event === 'workflow:failed') return false;
    if (die && event.event === 'task:completed' && task === 'count') process.kill(process.pid, 'SIGKILL');
  }
  return false;
}

/** What is worth a line, with the colour of what it means; null for the steps in between. */
function describe(event: Event): string | null {
  if (event.event === 'task:started') return `running, attempt ${event.data.attempt}`;
  if (event.event === 'task:completed') return styleText('green', 'completed');
  if (event.event === 'task:retrying')
    return styleText('yellow', `failed, tried again soon: ${event.data.error.message}`);
  if (event.event === 'task:interrupted') return styleText('yellow', 'was cut off by the kill, runs again');
  if (event.event === 'workflow:started') return `started with ${event.data.total} tasks`;
  if (event.event === 'workflow:completed') return styleText('green', 'completed');
  if (event.event === 'task:failed') return styleText('red', `failed: ${event.data.error.message}`);
  return null;
}

function line({ seconds, task, words }: { seconds?: number; task: string; words: string }): void {
  const time = seconds === undefined ? '' : `${seconds.toFixed(2)} s`;
  process.stdout.write(`  ${time.padStart(7)}  ${task.padEnd(10)} ${words}\n`);
}
