import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Ids, isKeyed } from './work.ts';

async function* lines<Line>(file: string): AsyncGenerator<Line, void, undefined> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line) as Line;
}

/** What the loader was answered. A piece of work that was answered with other ids before contradicts itself. */
export async function readAnswers(file: string): Promise<Ids & { readonly contradicted: number }> {
  const known = new Map<number, string>();
  const ids = { tasks: [] as string[], runs: [] as string[] };
  let contradicted = 0;
  for await (const [n, tasks, runs] of lines<[number, string[], string[]]>(file)) {
    const before = known.get(n);
    const now = [...tasks, ...runs].join();
    known.set(n, now);
    if (before === undefined) {
      ids.tasks.push(...tasks);
      ids.runs.push(...runs);
    } else if (before !== now) contradicted++;
  }
  return { ...ids, contradicted };
}

/** What the agent executed. Under a key there is one task for each step, however often it was sent. */
export async function readExecutions(file: string): Promise<{ redelivered: number; doubled: number }> {
  const taskOf = new Map<string, string>();
  const tasks = new Set<string>();
  let executions = 0;
  let doubled = 0;
  for await (const [n, step, task_id] of lines<[number, number, string]>(file)) {
    executions++;
    tasks.add(task_id);
    if (!isKeyed(n)) continue;
    const known = taskOf.get(`${n} ${step}`);
    if (known !== undefined && known !== task_id) doubled++;
    taskOf.set(`${n} ${step}`, task_id);
  }
  return { redelivered: executions - tasks.size, doubled };
}
