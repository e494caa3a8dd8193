import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { wordsOf } from '../schema.ts';
import { type BatchFile, batchIds, filesOf, namesFile, withFile } from './batch.ts';
import { isShownText, withText } from './batch-text.ts';
import { checkCalls } from './check-calls.ts';
import type { Draft } from './draft.ts';
import { callParts, finish, type Known, type Options, type ReadTask, readKnown } from './known-task.ts';
import type { Linked } from './links.ts';
import { type Member, readMember } from './members.ts';
import { batchSchema } from './schema.ts';

const { properties: batchFields } = wordsOf(batchSchema);
const templateKeys = Object.keys(wordsOf(batchFields['template'] as JsonObject).properties);

/** One task for each file. What is wrong with the template is said once. */
export function readBatchTasks(value: JsonObject, options: Options, draft: Draft): readonly ReadTask[] {
  const { protocols } = options;
  const files = filesOf(value, options.list, draft);
  const raw = own(value, 'template');
  const given = own(value, 'protocol');
  if (!isObject(raw)) return [];
  const protocol = typeof given === 'string' ? { name: given, at: ['protocol'] } : undefined;
  if (protocol !== undefined) {
    const hint = 'write it in the template';
    draft.note({ path: ['protocol'], part: 'key', message: 'is an older place for protocol', hint });
  }
  const parts = { ...callParts(draft, protocols), protocol };
  const member = readMember(withParams(raw, draft), ['template'], templateKeys, parts);
  const inline = !hasParams(raw);
  const placed = inline ? { ...member, params_at: ['template'] } : member;
  const one = readKnown(placed, new Set(), { parts, in_batch: true });
  const shows = showingText(value, one, options, draft);
  const memberFor = (file: BatchFile) => (shows === null ? withBatchFile(one, file) : one.member);
  const [first] = files;
  if (first !== undefined) checkCalls([{ ...one, member: memberFor(first) }], draft, protocols);
  const ids = batchIds(files);
  return files.map((file, i) => {
    const task = finish(memberFor(file), one.texts, file);
    const whole = { id: ids[i] ?? '', name: `Process ${file.path}`, ...task };
    return { task: shows?.(whole, file) ?? whole, member: placed };
  });
}

function hasParams(raw: JsonObject): boolean {
  return ['params', 'parameters', 'args', 'arguments', 'input'].some((key) => Object.hasOwn(raw, key));
}

const nobodyWaits = 'the tasks of a batch do not wait for each other: write the tasks out where they should';

/** Keys of a task that mean nothing where each file has one. */
const hintsOfTasks: ReadonlyMap<string, string> = new Map([
  ['id', 'leave it out: each task gets an id from the name of its file, such as process-a-txt'],
  ['needs', nobodyWaits],
  ['dependencies', nobodyWaits],
  ['depends_on', nobodyWaits],
]);

/** Older templates hold the params themselves. */
function withParams(raw: JsonObject, draft: Draft): JsonObject {
  const loose = Object.keys(raw).filter((key) => !templateKeys.includes(key));
  const [first] = loose;
  if (first === undefined) return raw;
  if (hasParams(raw)) {
    for (const key of loose) {
      const hint = hintsOfTasks.get(key) ?? 'params of the call stand under params';
      draft.report({
        path: ['template', key],
        part: 'key',
        message: `unknown key ${JSON.stringify(key)}`,
        hint,
      });
    }
    return raw;
  }
  const hint = 'write them under params';
  draft.note({ path: ['template', first], part: 'key', message: 'is a param in its older place', hint });
  return { ...raw, params: Object.fromEntries(loose.map((key) => [key, raw[key] as Json])) };
}

type ShowText = (task: JsonObject, file: BatchFile) => JsonObject;

/** Null where the file is not shown, but named. */
function showingText(value: JsonObject, one: Known, { read }: Options, draft: Draft): ShowText | null {
  const batch = own(value, 'batch');
  const directory = isObject(batch) ? own(batch, 'directory') : undefined;
  if (read === undefined || typeof directory !== 'string' || namesFile(one.texts)) return null;
  if (!isShownText(one.member.call, one.method)) return null;
  return (task, file) => {
    try {
      return withText(task, read({ directory, path: file.path }));
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const message = `${file.full} cannot be shown to the model: ${reason}`;
      draft.report({ path: ['batch'], part: 'value', message, hint: 'narrow the pattern to files of text' });
      return task;
    }
  };
}

function withBatchFile({ member, texts }: Linked, file: BatchFile): Member {
  if (member.call === null || namesFile(texts)) return member;
  return { ...member, params: withFile(member.params, member.call, file) };
}
