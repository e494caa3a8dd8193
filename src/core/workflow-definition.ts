import { type Fields, given, note, openFields, readName } from './fields.ts';
import { findCycle } from './graph.ts';
import { kindOf } from './json.ts';
import { child } from './json-pointer.ts';
import { MAX_TASKS_PER_RUN } from './limits.ts';
import { Problems } from './problems.ts';
import { didYouMean } from './suggest.ts';
import { type ReadTask, readMember, type TaskDefinition } from './task-definition.ts';

export type WorkflowDefinition = {
  readonly workflow_id: string | null;
  readonly name: string;
  readonly version: string | null;
  readonly tasks: readonly TaskDefinition[];
};

const keys = ['workflow_id', 'name', 'version', 'tasks'];
const CYCLE_SHOWN = 12;

/** A workflow as it was submitted. Throws one error that names every problem found, up to twenty. */
export function parseWorkflow(input: unknown): WorkflowDefinition {
  const problems = new Problems();
  const fields = openFields(input, keys, { at: '', code: 'GLZ1002', problems });
  const workflow = fields && readWorkflow(fields);
  problems.throwIfAny();
  return workflow as WorkflowDefinition;
}

function readWorkflow(fields: Fields): WorkflowDefinition {
  const workflow_id = readOptional(fields, 'workflow_id');
  const name = readName(fields, 'name', workflow_id ?? 'workflow');
  const version = readOptional(fields, 'version');
  const members = readMembers(fields);
  checkLinks(members, fields);
  const tasks = members.map(({ task }) => task);
  const cycle = findCycle(tasks);
  if (cycle !== undefined) {
    note(
      fields,
      'tasks',
      `tasks wait for each other in a circle: ${showCycle(cycle)}`,
      'remove one of the dependencies',
    );
  }
  return { workflow_id, name, version, tasks };
}

/** Null says the same as leaving it out. */
function readOptional(fields: Fields, key: string): string | null {
  return given(fields, key) === null ? null : readName(fields, key, null);
}

function readMembers(fields: Fields): readonly ReadTask[] {
  const list = given(fields, 'tasks');
  if (!Array.isArray(list)) {
    note(fields, 'tasks', list === undefined ? 'is missing' : `must be a list, not ${kindOf(list)}`);
    return [];
  }
  if (list.length === 0) note(fields, 'tasks', 'must hold at least one task');
  if (list.length > MAX_TASKS_PER_RUN) {
    note(fields, 'tasks', `holds ${list.length} tasks, and at most ${MAX_TASKS_PER_RUN} fit into one run`);
    return [];
  }
  const members: ReadTask[] = [];
  for (const [i, item] of list.entries()) {
    if (fields.problems.full) break;
    const member = readMember(item, { at: `/tasks/${i}`, code: fields.code, problems: fields.problems });
    if (member !== undefined) members.push(member);
  }
  return members;
}

function checkLinks(members: readonly ReadTask[], { problems, code }: Fields): void {
  const ids = new Map<string, string>();
  for (const { task, at } of members) {
    const first = ids.get(task.id);
    if (first === undefined) ids.set(task.id, at);
    else problems.add(code, { field: child(at, 'id'), reason: `"${task.id}" is already the id of ${first}` });
  }
  for (const { task, links } of members) {
    for (const { id, field } of links) {
      if (problems.full) return;
      const trouble = linkTrouble(id, task.id, ids);
      if (trouble !== undefined) problems.add(code, { field, ...trouble });
    }
  }
}

function linkTrouble(id: string, own: string, ids: ReadonlyMap<string, string>) {
  if (id === own) return { reason: `"${id}" cannot wait for its own result` };
  if (ids.has(id)) return undefined;
  const hint = didYouMean(id, [...ids.keys()], 'tasks');
  return { reason: `there is no task "${id}" in this workflow`, hint };
}

function showCycle(ids: readonly string[]): string {
  if (ids.length <= CYCLE_SHOWN) return ids.join(' → ');
  const rest = ids.length - CYCLE_SHOWN;
  return `${ids.slice(0, CYCLE_SHOWN - 1).join(' → ')} → (${rest} more) → ${ids.at(-1)}`;
}
