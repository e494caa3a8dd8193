import type { AgentEntry } from '../../core/agent.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { ProtocolDefinition } from '../../core/protocol.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Definitions } from '../../registry/definitions.ts';
import type { Target } from './settings.ts';

type Workflow = Extract<Target, { readonly workflow: string }>;

export type TargetParts = {
  readonly definitions: Pick<Definitions, 'find'>;
  readonly protocols: { get(name: string): ProtocolDefinition | undefined };
  readonly agents: { find(name: string): Promise<AgentEntry | undefined>; names(): readonly string[] };
};

/** The workflow as it is defined now. Throws where it is not, or has no step of the name that the reply is to come from. */
export async function definedBy(
  definitions: TargetParts['definitions'],
  { workflow, version, reply }: Workflow,
): Promise<JsonObject> {
  const defined = await definitions.find(workflow, version);
  const steps = stepsOf(defined);
  if (reply === undefined || steps.includes(reply)) return defined;
  throw notThere(`the workflow "${workflow}" has no step "${reply}"`, didYouMean(reply, steps));
}

/** What of the target is not there yet, as the error that a request would end with; null where all of it is. */
export async function missingOf(
  { definitions, protocols, agents }: TargetParts,
  target: Target,
): Promise<GleitzeitError | null> {
  try {
    if ('workflow' in target) await definedBy(definitions, target);
    else if ('protocol' in target) requireMethod(protocols, target);
    else if ((await agents.find(target.agent)) === undefined)
      return notThere(`no agent is called "${target.agent}"`, didYouMean(target.agent, agents.names()));
    return null;
  } catch (thrown) {
    return GleitzeitError.from(thrown);
  }
}

function requireMethod(
  protocols: TargetParts['protocols'],
  { protocol, method }: Extract<Target, { readonly protocol: string }>,
): void {
  const found = protocols.get(protocol);
  if (found === undefined) throw notThere(`there is no protocol "${protocol}"`);
  const methods = Object.keys(found.methods);
  if (!methods.includes(method))
    throw notThere(`${protocol} has no method "${method}"`, didYouMean(method, methods));
}

/** A name that serves as the id is kept once. */
function stepsOf(workflow: JsonObject): readonly string[] {
  const tasks = own(workflow, 'tasks');
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: Json) => (isObject(task) ? String(own(task, 'id') ?? own(task, 'name')) : []));
}

function notThere(reason: string, hint?: string): GleitzeitError {
  return new GleitzeitError('GLZ1010', reason, { reason, ...(hint === undefined ? {} : { hint }) });
}
