import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { findConfig } from '../config/find.ts';
import { type ProtocolsOnly, readProtocolsOnly } from '../config/protocols-only.ts';
import { AGENT_PROTOCOL, agentProviderId } from '../core/agent.ts';
import type { FunctionMapping, Functions } from '../core/function-call.ts';
import type { ProtocolDefinition } from '../core/protocol.ts';
import { throwProblems } from '../files/problems.ts';
import { readBounded } from '../files/read.ts';
import type { BatchLister } from '../files/workflow/batch.ts';
import { type KnownProtocols, protocolsOf } from '../files/workflow/known.ts';
import { folderLister, folderReader } from '../files/workflow/list-folder.ts';
import { readWorkflow, type WorkflowFile } from '../files/workflow/read.ts';
import { defaultYamlLimits } from '../files/yaml.ts';
import type { Client, ResultOf } from '../sdk/index.ts';
import { withClient } from './connect.ts';
import { ourError } from './connect-errors.ts';
import { unreadable } from './missing-file.ts';
import type { Invocation } from './spec.ts';
import { standardInput } from './standard-input.ts';

/** Who serves what, as far as a command that runs nothing can know. */
export type Surroundings = {
  readonly definitions: readonly ProtocolDefinition[];
  /** Ids of the providers of a protocol; null where that is not known. */
  readonly providersOf: (protocol: string) => readonly string[] | null;
  /** The configuration or the server that said so; null where neither is there. */
  readonly from: string | null;
  readonly config: ProtocolsOnly | null;
  /** What the functions of earlier generations are there. */
  readonly functions: Functions;
  /** Names of all agents; null where there may be others. */
  readonly agents: readonly string[] | null;
};

type Here = Pick<Invocation, 'cwd' | 'flags'>;

/** A folder whose files a batch is about; `deep` with those below it. */
export type BatchFolder = { readonly path: string; readonly deep: boolean };

/** The content of a workflow file; `-` is standard input. */
export async function workflowContent(here: Here, named: string): Promise<Uint8Array> {
  if (named === '-') return standardInput(here, defaultYamlLimits.size);
  const file = resolve(here.cwd, named);
  try {
    return await readBounded(file, defaultYamlLimits.size);
  } catch (thrown) {
    throw await unreadable(thrown, { cwd: here.cwd, named, field: 'file' });
  }
}

export function shownName(named: string): string {
  return named === '-' ? 'standard input' : named;
}

/** Reads a workflow file with everything that can be known around it. */
export async function readWorkflowAt(
  here: Here,
  named: string,
  protocols: KnownProtocols | undefined,
  lists: (folder: BatchFolder) => void = () => {},
): Promise<WorkflowFile> {
  const content = await workflowContent(here, named);
  const folder = named === '-' ? here.cwd : dirname(resolve(here.cwd, named));
  const lister = folderLister(folder);
  const list: BatchLister = (request) => {
    lists({ path: resolve(folder, request.directory), deep: request.deep });
    return lister(request);
  };
  return readWorkflow(content, { file: shownName(named), protocols, list, read: folderReader(folder) });
}

/** What is known around a file: of the server that is named, else from the configuration beside the file or above. */
export async function surroundingsOf(call: Invocation, named: string): Promise<Surroundings> {
  if (call.flags.text('server') !== undefined) return withClient(call, (client) => fromServer(call, client));
  const folder = named === '-' ? call.cwd : dirname(resolve(call.cwd, named));
  const given = call.flags.text('config');
  const file = given === undefined ? (findConfig(folder) ?? findConfig(call.cwd)) : resolve(call.cwd, given);
  if (file === null) return nothingKnown;
  if (!existsSync(file)) {
    const missing = Object.assign(new Error(), { code: 'ENOENT' });
    throw await unreadable(missing, { cwd: call.cwd, named: given ?? file, field: 'config' });
  }
  const { definitionRules } = await import('../main/protocols.ts');
  const config = await readProtocolsOnly(file, call.cwd, definitionRules());
  const providers = new Map(config.protocols.map((one) => [one.name, one.providers.map(({ id }) => id)]));
  return {
    definitions: config.protocols.map(({ definition }) => definition),
    providersOf: (protocol) => providers.get(protocol) ?? null,
    from: config.file,
    config,
    functions: config.functions,
    // Others may be registered in the store.
    agents: null,
  };
}

const nothingKnown: Surroundings = {
  definitions: [],
  providersOf: () => null,
  from: null,
  config: null,
  functions: {},
  agents: null,
};

/** For whoever wants to hear of everything now, rather than when it is submitted; undefined where nothing is known. */
export async function strictProtocols({
  definitions,
  config,
  functions,
  agents,
}: Surroundings): Promise<KnownProtocols | undefined> {
  const named = agents === null ? {} : { agents: () => agents };
  if (definitions.length === 0)
    return agents === null ? undefined : { ...protocolsOf([], { partial: true, functions }), ...named };
  const { knownProtocols } = await import('../main/protocols.ts');
  const known = { ...knownProtocols(definitions), functions, ...named };
  // What a broken configuration lacks is its own mistake, and none of the workflow's.
  return config !== null && config.problems.length > 0 ? { ...known, partial: true } : known;
}

/** For whoever only looks at a file: nothing but what its functions are called today, and not even that where it is not known. */
export async function functionsAround(call: Invocation, named: string): Promise<KnownProtocols> {
  const { functions } = await surroundingsOf(call, named).catch(() => nothingKnown);
  return protocolsOf([], { partial: true, functions });
}

/** A workflow is not blamed for the mistakes of the configuration it is read by. */
export function refuseBroken({ config }: Surroundings): void {
  if (config !== null && config.problems.length > 0) throwProblems(config.problems);
}

/**
 * For whoever is going to submit it: what is known here is checked with line and column, the rest is judged there. A
 * server that is named knows everything, so nothing is left to be told one by one.
 */
export async function laxProtocols(call: Invocation, named: string): Promise<KnownProtocols | undefined> {
  const around = await surroundingsOf(call, named);
  if (call.flags.text('server') !== undefined) return strictProtocols(around);
  refuseBroken(around);
  const { definitions, functions } = around;
  return definitions.length === 0 ? undefined : protocolsOf(definitions, { partial: true, functions });
}

async function fromServer(call: Invocation, client: Client): Promise<Surroundings> {
  const [{ items }, agents] = await Promise.all([client.call('protocol.list'), agentsOf(client)]);
  const definitions = await Promise.all(items.map(({ name }) => client.call('protocol.get', { name })));
  const providers = new Map(items.map(({ name, providers: ids }) => [name, ids]));
  if (agents !== null)
    providers.set(
      AGENT_PROTOCOL,
      agents.map((name) => agentProviderId(name)),
    );
  return {
    definitions: definitions as readonly ProtocolDefinition[],
    providersOf: (protocol) => providers.get(protocol) ?? null,
    from: call.flags.text('server') ?? null,
    config: null,
    functions: await functionsOf(client),
    agents,
  };
}

/** Null where the server is older than agents are. */
async function agentsOf(client: Client): Promise<readonly string[] | null> {
  const names: string[] = [];
  let cursor: string | null = null;
  try {
    do {
      const page: ResultOf<'agent.list'> = await client.call('agent.list', {
        limit: 1000,
        ...(cursor === null ? {} : { cursor }),
      });
      names.push(...page.items.map(({ name }) => name));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return names;
  } catch (thrown) {
    if (ourError(thrown).code === 'GLZ4007') return null;
    throw thrown;
  }
}

async function functionsOf(client: Client): Promise<Functions> {
  const { items } = await client.call('function.list');
  return Object.fromEntries(items.map(({ name, ...mapping }) => [name, mapping as FunctionMapping]));
}
