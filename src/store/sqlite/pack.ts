import type { Answer } from '../../core/answer.ts';
import type { CommitRequest } from '../../core/ports/store.ts';
import type { Priority } from '../../core/priority.ts';
import type { OnFailure } from '../../core/records.ts';
import type { NewRun, NewTask, ReusedResult, Write } from '../../core/writes.ts';
import type { Shape } from './bodies.ts';

/**
 * Requests on their way to the writer's thread. Lists of values cost a third of what records cost to copy, and what
 * many tasks have in common travels once.
 */
export type PackedRequest = {
  readonly writes: readonly PackedWrite[];
  readonly claim: CommitRequest['claim'];
  readonly shapes: readonly Shape[];
};

type PackedWrite = Write | PackedSettle | PackedSubmit;

type PackedSettle = readonly [
  kind: 1,
  task_id: string,
  owner: string,
  fence: number,
  answer: Answer | string,
  chance: number,
  ...start: [] | [attempt: number, provider: string | null, ago_ms: number],
];

type PackedSubmit = readonly [kind: 2, runs: readonly PackedRun[]];

type PackedRun = readonly [
  workflow: NewRun['workflow'],
  body_hash: string,
  idempotency_key: string | null,
  tasks: readonly PackedTask[],
];

type PackedTask = readonly [
  task_id: string,
  id: string | 0,
  lane: string,
  priority: Priority,
  on_failure: OnFailure,
  total_timeout: number | null,
  name: string,
  shape: number,
  dependencies: readonly string[] | 0,
  params: string,
  pending: number,
  dependents: readonly string[] | 0,
  inputs: Readonly<Record<string, string>> | 0,
  uses_input: boolean,
  /** What few tasks have. */
  ...more: [] | [traceparent: string | 0, reused: ReusedResult | 0],
];

export function packRequest({ writes, claim }: CommitRequest): PackedRequest {
  const shapes = new Shapes();
  return { writes: writes.map((write) => packWrite(write, shapes)), claim, shapes: shapes.list };
}

export function unpackRequest({ writes, claim, shapes }: PackedRequest): CommitRequest {
  return { writes: writes.map((write) => unpackWrite(write, shapes)), claim };
}

class Shapes {
  readonly list: Shape[] = [];
  readonly #seen = new Map<object, Map<string, number>>();

  indexOf({ protocol, method, timeout, retry_config, agent }: Shape): number {
    const call = `${timeout} ${method} ${protocol}`;
    const key = agent === undefined ? call : `${call} ${agent}`;
    let seen = this.#seen.get(retry_config);
    if (seen === undefined) {
      seen = new Map();
      this.#seen.set(retry_config, seen);
    }
    let index = seen.get(key);
    if (index === undefined) {
      const shape = { protocol, method, timeout, retry_config };
      index = this.list.push(agent === undefined ? shape : { ...shape, agent }) - 1;
      seen.set(key, index);
    }
    return index;
  }
}

function packWrite(write: Write, shapes: Shapes): PackedWrite {
  if (write.kind === 'settle') {
    const { task_id, owner, fence, chance, start } = write;
    const answer = write.answer.word === 'done' ? write.answer.result : write.answer;
    if (start === null) return [1, task_id, owner, fence, answer, chance];
    return [1, task_id, owner, fence, answer, chance, start.attempt, start.provider, start.ago_ms];
  }
  if (write.kind !== 'submit') return write;
  return [
    2,
    write.runs.map(({ workflow, body_hash, idempotency_key, tasks }) => {
      return [workflow, body_hash, idempotency_key, tasks.map((task) => packTask(task, shapes))];
    }),
  ];
}

function packTask(task: NewTask, shapes: Shapes): PackedTask {
  const { traceparent } = task.spec;
  const packed: PackedTask = [
    task.task_id,
    task.id === task.task_id ? 0 : task.id,
    task.lane,
    task.priority,
    task.on_failure,
    task.total_timeout,
    task.spec.name,
    shapes.indexOf(task.spec),
    task.spec.dependencies.length === 0 ? 0 : task.spec.dependencies,
    task.params,
    task.pending,
    task.dependents.length === 0 ? 0 : task.dependents,
    isEmpty(task.inputs) ? 0 : task.inputs,
    task.uses_input,
  ];
  if (traceparent === undefined && task.reused === undefined) return packed;
  return [...packed, traceparent ?? 0, task.reused ?? 0] as unknown as PackedTask;
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}

function unpackWrite(write: PackedWrite, shapes: readonly Shape[]): Write {
  if (!isPacked(write)) return write;
  if (write[0] === 1) {
    const [, task_id, owner, fence, packed, chance, attempt, provider = null, ago_ms = 0] = write;
    const answer: Answer = typeof packed === 'string' ? { word: 'done', result: packed } : packed;
    const start = attempt === undefined ? null : { attempt, provider, ago_ms };
    return { kind: 'settle', task_id, owner, fence, start, answer, chance };
  }
  const runs = write[1].map(([workflow, body_hash, idempotency_key, tasks]) => {
    return { workflow, body_hash, idempotency_key, tasks: tasks.map((task) => unpackTask(task, shapes)) };
  });
  return { kind: 'submit', runs };
}

function isPacked(write: PackedWrite): write is PackedSettle | PackedSubmit {
  return Array.isArray(write);
}

function unpackTask(packed: PackedTask, shapes: readonly Shape[]): NewTask {
  const [task_id, id, lane, priority, on_failure, total_timeout, name, shape, dependencies, ...rest] = packed;
  const [params, pending, dependents, inputs, uses_input, traceparent = 0, reused = 0] = rest;
  const spec = { name, ...(shapes[shape] as Shape), dependencies: dependencies === 0 ? [] : dependencies };
  return {
    task_id,
    id: id === 0 ? task_id : id,
    lane,
    priority,
    on_failure,
    total_timeout,
    spec: traceparent === 0 ? spec : { ...spec, traceparent },
    params,
    pending,
    dependents: dependents === 0 ? [] : dependents,
    inputs: inputs === 0 ? {} : inputs,
    uses_input,
    ...(reused === 0 ? undefined : { reused }),
  };
}
