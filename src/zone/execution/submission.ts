import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { AcceptedRun } from '../../core/writes.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Definitions } from '../../registry/definitions.ts';
import { bodyMark, type Mark, type PlanRequest, planRun, planTask, runName } from './plan.ts';
import type { ExecutionSettings } from './settings.ts';
import { definedBy } from './target.ts';
import { RUN_PREFIX } from './work.ts';

export type SubmissionParts = {
  readonly engine: Pick<Engine, 'submit' | 'submitWorkflow'>;
  readonly reads: Pick<StoreReads, 'run'>;
  readonly definitions: Pick<Definitions, 'find'>;
  readonly settings: ExecutionSettings;
  /** Equal for equal texts, and nobody without the key for secrets can make it. */
  readonly mark: Mark;
  readonly hash: (text: string) => string;
};

/** A request as durable work, or as the work that it was when it came before. */
export async function submitRequest(parts: SubmissionParts, request: PlanRequest): Promise<AcceptedRun> {
  const { engine, settings, mark } = parts;
  if (await isOfEarlierKey(parts, request)) return submitAsEarlier(parts, request);
  const same = { body_mark: bodyMark(request, mark) };
  const lone = planTask(request, settings);
  try {
    if (lone !== null) return await engine.submit(lone.task, lone.options, { ...lone.inside, ...same });
    const known = { defined: await definedFor(parts), workflow_id: runName(request, mark) };
    const { workflow, options } = planRun(request, settings, known);
    return await engine.submitWorkflow(workflow, options, same);
  } catch (thrown) {
    if (!isKnownId(thrown)) throw thrown;
    return submitAsEarlier(parts, request);
  }
}

async function definedFor({ settings, definitions }: SubmissionParts): Promise<JsonObject | null> {
  const { execute } = settings;
  return 'workflow' in execute ? await definedBy(definitions, execute) : null;
}

/**
 * Requests were once told apart by what became of them, and runs named by a plain hash. What is kept since then is found
 * in that way, as long as the configuration is the same. Nothing new begins here: the id or the key is taken already.
 */
async function submitAsEarlier(parts: SubmissionParts, request: PlanRequest): Promise<AcceptedRun> {
  const { engine, settings } = parts;
  const lone = planTask(request, settings);
  if (lone !== null) {
    try {
      return await engine.submit(lone.task, lone.options, lone.inside);
    } catch (thrown) {
      // Before there were tasks by themselves it was a run.
      if (!isKnownId(thrown)) throw thrown;
    }
  }
  const known = { defined: await definedFor(parts), workflow_id: earlierName(request, parts) };
  const { workflow, options } = planRun(request, settings, known);
  return engine.submitWorkflow(workflow, options);
}

/** Only what has a key can have been accepted under another id, and is a run. */
async function isOfEarlierKey(parts: SubmissionParts, request: PlanRequest): Promise<boolean> {
  if (request.params.idempotency_key === undefined) return false;
  return (await parts.reads.run(earlierName(request, parts))) !== null;
}

export function earlierName(
  { id, params }: Omit<PlanRequest, 'caller'>,
  { hash }: Pick<SubmissionParts, 'hash'>,
): string {
  return RUN_PREFIX + hash(params.idempotency_key ?? id.toLowerCase());
}

/** The id came before with another body, and is the engine's key. */
function isKnownId(thrown: unknown): boolean {
  const { code, details } = GleitzeitError.from(thrown);
  return code === 'GLZ1009' && details.field === 'idempotency_key';
}
