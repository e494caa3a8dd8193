import { setTimeout as pause } from 'node:timers/promises';
import { call } from './call.ts';

export type SteadyWork = {
  /** No more is submitted; resolves when all of it has settled. */
  end(): Promise<{ readonly submitted: number; readonly per_second: number; readonly tasks: TaskCounts }>;
};

/** Tasks by status; a status without tasks is left out. */
export type TaskCounts = Readonly<Record<string, number>>;

const TICK_MS = 20;

/**
 * So many tasks a second, whatever becomes of them. Each has one attempt: a second one would hide what the first met. A tick
 * that comes late brings what was due meanwhile, so that the pace is kept.
 */
export function startSteadyWork(url: string, per_second: number): SteadyWork {
  const from = performance.now();
  const under = new Set<Promise<unknown>>();
  let submitted = 0;
  let running = true;
  const submit = (count: number) => {
    const tasks = Array.from({ length: count }, (_, index) => ({
      protocol: 'echo/v1',
      method: 'say',
      params: { text: `task ${submitted + index}` },
      retry_config: { max_attempts: 1 },
    }));
    submitted += count;
    const sent = call(url, 'task.submit_many', { tasks });
    under.add(sent);
    void sent.finally(() => under.delete(sent)).catch(() => {});
  };
  const work = async () => {
    while (running) {
      const due = Math.floor(((performance.now() - from) * per_second) / 1000) - submitted;
      if (due > 0) submit(due);
      await pause(TICK_MS);
    }
  };
  const worked = work();
  return {
    end: async () => {
      running = false;
      await worked;
      const seconds = (performance.now() - from) / 1000;
      await Promise.all(under);
      return { submitted, per_second: submitted / seconds, tasks: await settled(url) };
    },
  };
}

const open = ['waiting', 'queued', 'validated', 'routed', 'executing', 'retrying'];

async function settled(url: string): Promise<TaskCounts> {
  for (;;) {
    const { tasks } = await call<{ tasks: TaskCounts }>(url, 'queue.stats', {});
    if (open.every((status) => (tasks[status] ?? 0) === 0)) return tasks;
    await pause(TICK_MS);
  }
}
