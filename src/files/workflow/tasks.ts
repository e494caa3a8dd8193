import { type JsonObject, own } from '../../core/json.ts';
import { wordsOf } from '../schema.ts';
import { checkCalls } from './check-calls.ts';
import type { Draft } from './draft.ts';
import { callParts, finish, type Options, type ReadTask, readKnown } from './known-task.ts';
import { checkIds, checkLinks } from './links.ts';
import { readMembers } from './members.ts';
import { workflowSchema } from './schema.ts';

const { properties: workflowFields } = wordsOf(workflowSchema);
const taskSchema = own(workflowFields['tasks'] as JsonObject, 'items') as JsonObject;
const taskKeys = Object.keys(wordsOf(taskSchema).properties);

/** The tasks that a file lists. */
export function readTasks(value: JsonObject, { protocols }: Options, draft: Draft): readonly ReadTask[] {
  const parts = callParts(draft, protocols);
  const members = readMembers(value, taskKeys, parts);
  checkIds(members, draft);
  const ids = new Set(members.flatMap(({ id }) => id ?? []));
  const known = members.map((member) => readKnown(member, ids, { parts, in_batch: false }));
  checkLinks(known, draft);
  checkCalls(known, draft, protocols);
  return known.map(({ member, texts }) => ({ task: finish(member, texts, null), member }));
}
