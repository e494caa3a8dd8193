import type { AgentAnswer, AgentCall } from './agent.ts';
import { call } from './call.ts';

export const mixedProtocol = {
  name: 'mixed/v1',
  methods: {
    step: {
      params: {
        n: { type: 'integer', required: true },
        before: { type: 'integer', default: 0 },
        text: { type: 'string' },
      },
      returns: { type: 'object', properties: { value: { type: 'integer' } }, required: ['value'] },
    },
  },
} as const;

const STUMBLES = 23;
const FAILS = 13;

/** Some calls fail at first and some for good: the log should hold every kind of event. */
export function mixedAgent(random: () => number): (call: AgentCall) => Promise<AgentAnswer> {
  const stumbled = new Set<string>();
  return async ({ call_id, params }) => {
    const n = Number(params['n']);
    await new Promise((resolve) => setTimeout(resolve, 2 + random() * 20));
    if (n % FAILS === 0) return { error: { code: -32602, message: `no ${n} today` } };
    if (n % STUMBLES === 0 && !stumbled.has(call_id)) {
      stumbled.add(call_id);
      return { error: { code: -32000, message: 'once more, please' } };
    }
    return { result: { value: n } };
  };
}

type Step = { readonly id: string; readonly [field: string]: unknown };

/** A graph of tasks; many depend on one or two of those before them, some with a reference. */
function workflowOf(size: number, random: () => number): { name: string; tasks: Step[] } {
  const pick = (most: number) => Math.floor(random() * most);
  const reach = Math.min(40, Math.ceil(size / 6));
  const tasks = Array.from({ length: size }, (_, index): Step => {
    const near = new Set([index - 1 - pick(reach), index - 1 - reach - pick(reach)]);
    const dependencies = [...near].filter((at) => at >= 0).map((at) => `t${at}`);
    const params = { n: index + 1, text: 'x'.repeat(pick(200)) };
    const [first] = dependencies;
    return {
      id: `t${index}`,
      ...mixedTask(index),
      dependencies,
      // In a large graph a failure early on would leave little to do.
      on_failure: size > 100 ? 'continue' : 'skip',
      params: random() < 0.3 && first !== undefined ? { ...params, before: before(first) } : params,
    };
  });
  return { name: `graph of ${size}`, tasks };
}

function before(id: string): string {
  return `\${${id}.result.value ?? 0}`;
}

function mixedTask(index: number) {
  const retry_config = { max_attempts: 3, initial_delay: '20ms' };
  const priority = (['normal', 'normal', 'high', 'low'] as const)[index % 4];
  return { protocol: 'mixed/v1', method: 'step', priority, retry_config };
}

type Submitted = { readonly workflow_id: string };
type Tasks = { readonly tasks: readonly { readonly task_id: string }[] };

export async function submitRun(url: string, size: number, random: () => number): Promise<string> {
  const workflow = workflowOf(size, random);
  return (await call<Submitted>(url, 'workflow.submit', { workflow })).workflow_id;
}

/** Runs and single tasks of mixed sizes, sent to all servers in turn; resolves when they have settled. */
export async function submitAndWait(urls: readonly string[], random: () => number): Promise<void> {
  const server = () => urls[Math.floor(random() * urls.length)] as string;
  const single = (index: number) => ({
    ...mixedTask(index),
    params: { n: 1 + Math.floor(random() * 10_000) },
  });
  const rounds = Array.from({ length: 12 }, async (_, round) => {
    const workflow_id = await submitRun(server(), 3 + round * 3, random);
    const many = Array.from({ length: 12 }, (_, index) => single(index));
    const { tasks } = await call<Tasks>(server(), 'task.submit_many', { tasks: many });
    const alone = await Promise.all(
      many.map((task) => call<Tasks['tasks'][0]>(server(), 'task.submit', task)),
    );
    await settled(server(), workflow_id);
    for (const { task_id } of [...tasks, ...alone]) await taskSettled(server(), task_id);
  });
  await Promise.all(rounds);
}

const WAIT_MS = 30_000;

export async function settled(url: string, workflow_id: string): Promise<void> {
  const { status } = await call<{ status: string }>(url, 'workflow.results', { workflow_id, wait: WAIT_MS });
  if (status === 'running') throw new Error(`run ${workflow_id} has not settled`);
}

async function taskSettled(url: string, task_id: string): Promise<void> {
  const { status } = await call<{ status: string }>(url, 'task.result', { task_id, wait: WAIT_MS });
  if (status !== 'completed' && status !== 'failed') throw new Error(`task ${task_id} is ${status}`);
}
