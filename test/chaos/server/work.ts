/** A piece of work: one request. Its number says everything about it, so that it can be sent again as it was. */
export type Work = {
  readonly n: number;
  readonly kind: 'task' | 'tasks' | 'workflow';
  /** Whether it may be sent again when nobody answered: the same key never makes more of it. */
  readonly keyed: boolean;
};

export function workOf(n: number): Work {
  const kind = n % 10 < 6 ? 'task' : n % 10 < 8 ? 'tasks' : 'workflow';
  return { n, kind, keyed: isKeyed(n) };
}

export function isKeyed(n: number): boolean {
  return Math.floor(n / 10) % 5 < 3;
}

export const chaosProtocol = {
  name: 'chaos/v1',
  methods: {
    step: {
      params: {
        n: { type: 'integer', required: true },
        step: { type: 'integer', required: true },
        before: { type: 'integer', default: 0 },
      },
      returns: { type: 'object', properties: { value: { type: 'integer' } }, required: ['value'] },
    },
  },
} as const;

const retry_config = { max_attempts: 50, initial_delay: '10ms' } as const;
const taskOf = (n: number, step: number) => ({
  protocol: 'chaos/v1',
  method: 'step',
  retry_config,
  params: { n, step },
});

export function requestOf({ n, kind, keyed }: Work): { method: string; params: object } {
  const key = (name: string) => (keyed ? { idempotency_key: name } : {});
  if (kind === 'task') {
    const task = taskOf(n, 0);
    return { method: 'task.submit', params: { ...(n % 2 === 0 ? task : { task }), ...key(`key-${n}`) } };
  }
  if (kind === 'tasks') {
    const tasks = Array.from({ length: 2 + (n % 30) }, (_, step) =>
      keyed ? { task: taskOf(n, step), ...key(`key-${n}-${step}`) } : taskOf(n, step),
    );
    return { method: 'task.submit_many', params: { tasks } };
  }
  return { method: 'workflow.submit', params: { workflow: workflowOf(n), ...key(`key-${n}`) } };
}

/** A chain of three, or two branches that meet; each step takes the value of the one before it. */
function workflowOf(n: number) {
  const after = n % 2 === 0 ? [null, 0, 1] : [null, 0, 0, 1, 2];
  const tasks = after.map((previous, step) => {
    const task = taskOf(n, step);
    const params =
      previous === null ? task.params : { ...task.params, before: `\${step-${previous}.result.value}` };
    return { ...task, id: `step-${step}`, params };
  });
  return { name: `work of ${tasks.length}`, tasks };
}

export type Ids = { readonly tasks: readonly string[]; readonly runs: readonly string[] };

type Answered = {
  readonly task_id?: string;
  readonly workflow_id?: string;
  readonly tasks?: readonly { readonly task_id: string }[] | Readonly<Record<string, string>>;
};

/** The ids that an answer gives. */
export function idsOf({ task_id, workflow_id, tasks = [] }: Answered): Ids {
  if (task_id !== undefined) return { tasks: [task_id], runs: [] };
  if (Array.isArray(tasks)) return { tasks: tasks.map((task) => task.task_id), runs: [] };
  return { tasks: Object.values(tasks), runs: workflow_id === undefined ? [] : [workflow_id] };
}
