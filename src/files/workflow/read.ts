import { parseWorkflow } from '../../core/definition.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { checkValue } from '../check.ts';
import { describeValue } from '../describe.ts';
import type { ParsedFile } from '../parsed.ts';
import type { Problem } from '../problems.ts';
import { defaultYamlLimits, parseLenient, type YamlLimits } from '../yaml.ts';
import { Draft } from './draft.ts';
import { readHead } from './head.ts';
import type { ReadWorkflowOptions } from './options.ts';
import { type Place, placesOf, problemsFor } from './place.ts';
import { batchSchema, isBatch, workflowSchema } from './schema.ts';
import { readTasks } from './tasks.ts';
import { readBatchTasks } from './template.ts';

export type { ReadWorkflowOptions } from './options.ts';

export type WorkflowFile = {
  readonly name: string;
  /** What `workflow.submit` takes as `workflow`: today's words only. */
  readonly workflow: JsonObject;
  /** What files of older generations say of it; null where they say nothing. */
  readonly wait_for_completion: boolean | null;
  /** Older words and what else is worth knowing, each with its place. */
  readonly notes: readonly Problem[];
  readonly source: ParsedFile;
  /** Where each task and its keys are written. */
  readonly places: readonly Place[];
};

/** A file of the size that is allowed may be full of tasks. */
const limits: YamlLimits = { ...defaultYamlLimits, tokens: 400_000, expanded: 16 * defaultYamlLimits.size };

/**
 * A workflow file, read. Throws a GleitzeitError whose problems are everything that is wrong, each with its place: what
 * is no YAML, what does not fit the schema, ids and references that lead nowhere, tasks that wait for each other, and,
 * where protocols are known, calls, params and paths into results that do not fit them.
 */
export function readWorkflow(content: string | Uint8Array, options: ReadWorkflowOptions): WorkflowFile {
  const draft = new Draft(parseLenient(content, { file: options.file, code: 'GLZ1002', limits }));
  const { value } = draft.parsed;
  if (!isObject(value)) return refuseRoot(value, draft);
  const schema = isBatch(value) ? batchSchema : workflowSchema;
  checkValue(schema, value, [], { report: (finding) => draft.report(finding) });
  const head = readHead(value, options.file, draft);
  const read = isBatch(value) ? readBatchTasks(value, options, draft) : readTasks(value, options, draft);
  const tasks = read.map(({ task }) => withTimeout(task, head.timeout));
  const workflow = { ...head.fields, tasks };
  draft.throwIfWrong();
  const places = placesOf(read);
  refuseAsCore(workflow, draft, places);
  return {
    name: head.name,
    workflow,
    wait_for_completion: head.wait_for_completion,
    notes: draft.notes,
    source: draft.parsed,
    places,
  };
}

function refuseRoot(value: Json, draft: Draft): never {
  const spaceless = typeof value === 'string' && /\w:\S/.test(value);
  draft.report({
    path: [],
    part: 'value',
    message: value === null ? 'is empty' : 'must be a mapping (key: value)',
    found: value === null ? null : describeValue(value),
    expected: 'a mapping with tasks',
    hint: spaceless ? 'a space follows the colon: "name: example"' : 'a workflow has tasks: […]',
  });
  return draft.throwIfWrong() as never;
}

function withTimeout(task: JsonObject, timeout: Json | undefined): JsonObject {
  return timeout === undefined || Object.hasOwn(task, 'timeout') ? task : { ...task, timeout };
}

/** What is left to say by the rules themselves, whatever this reader knows of them. */
function refuseAsCore(workflow: JsonObject, draft: Draft, places: readonly Place[]): void {
  try {
    parseWorkflow(workflow);
  } catch (thrown) {
    for (const finding of problemsFor(thrown, places)) draft.report(finding);
    draft.throwIfWrong();
    throw thrown;
  }
}
