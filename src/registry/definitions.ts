import { parseWorkflow, type WorkflowDefinition } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { MAX_PAYLOAD, TOO_LARGE, TOO_LARGE_HINT } from '../core/limits.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import type { Page } from '../core/ports/store.ts';
import { parseHiding } from '../core/secret-problems.ts';
import { didYouMean } from '../core/suggest.ts';
import { checkParams, type SealParts, seal, unseal } from './definition-text.ts';
import { type Documents, everyDocument } from './documents.ts';
import { newest, nextNumber } from './versions.ts';

/** Workflows by name and version, to be started by name. A version stays what it is. */
export interface Definitions {
  /**
   * Keeps a workflow. The same again under the same version is no error; something else is refused (GLZ1009). Without a
   * version the next number is given, unless the newest version is the same.
   */
  define(workflow: unknown): Promise<Defined>;
  /** A workflow ready to be submitted: the newest where no version is given (see versions.ts). Throws GLZ1010. */
  find(name: string, version?: string): Promise<JsonObject>;
  list(query: DefinitionQuery): Promise<Page<DefinitionItem>>;
}

export type Defined = { readonly name: string; readonly version: string; readonly created: boolean };

export type DefinitionQuery = { readonly name?: string; readonly limit: number; readonly cursor?: string };

export type DefinitionItem = {
  readonly name: string;
  readonly version: string;
  readonly tasks: number;
  readonly defined_at: number;
};

export type DefinitionParts = SealParts & { readonly documents: Documents; readonly clock: Clock };

/** What is known of a definition without reading all of it. */
type Entry = DefinitionItem & { readonly hash: string };

const ENTRIES = 'workflow';
/** Apart from the entries, which are read by the hundred; by hash, so that two at once cannot mix them up. */
const BODIES = 'workflow_body';
/** A version that somebody else took meanwhile is looked at again; numbers are given out anew. */
const TRIES = 5;

export function createDefinitions(parts: DefinitionParts): Definitions {
  const { documents } = parts;
  const { reads } = documents;

  async function entriesOf(name: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    for await (const { text } of everyDocument(documents, ENTRIES, prefixOf(name)))
      entries.push(JSON.parse(text) as Entry);
    return entries;
  }

  async function define(given: unknown, tries = TRIES): Promise<Defined> {
    const workflow = parseNamed(given, parts.schemas);
    checkParams(parts.schemas, workflow);
    const { text, hash } = seal(parts, workflow);
    if (text.length > MAX_PAYLOAD) throw tooLarge();
    const { name } = workflow;
    const entries = await entriesOf(name);
    const version = workflow.version ?? versionFor(entries, hash);
    const known = entries.find((entry) => entry.version === version);
    if (known?.hash === hash) return { name, version, created: false };
    if (known !== undefined) throw taken(name, version);
    await documents.put({ collection: BODIES, key: bodyKey(name, version, hash), text, expect: null });
    const entry = { name, version, tasks: workflow.tasks.length, defined_at: parts.clock.wall(), hash };
    const key = keyOf(name, version);
    try {
      await documents.put({ collection: ENTRIES, key, text: JSON.stringify(entry), expect: 0 });
    } catch (thrown) {
      if (GleitzeitError.from(thrown).code !== 'GLZ1013' || tries <= 1) throw thrown;
      return define(given, tries - 1);
    }
    return { name, version, created: true };
  }

  async function find(name: string, version?: string): Promise<JsonObject> {
    const entries = await entriesOf(name);
    const found =
      version === undefined ? newest(entries) : entries.find((entry) => entry.version === version);
    if (found === undefined) throw await notFound(documents, name, { version, entries });
    const body = await reads.document(BODIES, bodyKey(name, found.version, found.hash));
    if (body === null) throw new GleitzeitError('GLZ3005', `the workflow "${name}" is not stored whole`);
    return { ...unseal(parts, body.text), version: found.version };
  }

  async function list({ name, ...page }: DefinitionQuery): Promise<Page<DefinitionItem>> {
    const within = name === undefined ? {} : { prefix: prefixOf(name) };
    const { items, next_cursor } = await reads.documents(ENTRIES, { ...page, ...within });
    const shown = items.map(({ text }) => {
      const { hash: _, ...item } = JSON.parse(text) as Entry;
      return item;
    });
    return { items: shown, next_cursor };
  }

  return { define: (workflow) => define(workflow), find, list };
}

/** What may be called anything else is written so that names and versions cannot run into each other. */
function prefixOf(name: string): string {
  return `${encodeURIComponent(name)}/`;
}

function keyOf(name: string, version: string): string {
  return prefixOf(name) + encodeURIComponent(version);
}

function bodyKey(name: string, version: string, hash: string): string {
  return `${keyOf(name, version)}/${hash}`;
}

/** A definition is found by its name, so it must bring one; `workflow_id` in a file is one. */
function parseNamed(given: unknown, schemas: Schemas): WorkflowDefinition {
  const workflow = parseHiding(parseWorkflow, given, schemas);
  const named = given as { readonly name?: unknown; readonly workflow_id?: unknown };
  if ((named.name ?? named.workflow_id ?? null) !== null) return workflow;
  const reason = 'a workflow is defined under a name';
  throw new GleitzeitError('GLZ1002', `/name: ${reason}`, { field: '/name', reason, hint: 'give it one' });
}

function versionFor(entries: readonly Entry[], hash: string): string {
  const latest = newest(entries);
  if (latest?.hash === hash) return latest.version;
  return nextNumber(entries.map(({ version }) => version));
}

function taken(name: string, version: string): GleitzeitError {
  return new GleitzeitError(
    'GLZ1009',
    `version ${version} of "${name}" is defined already, and differently`,
    {
      field: '/version',
      reason: 'runs that were started from a version must be able to rely on it',
      hint: 'give the changed workflow a new version, or none to get the next number',
    },
  );
}

function tooLarge(): GleitzeitError {
  const details = { field: '', reason: TOO_LARGE, hint: TOO_LARGE_HINT };
  return new GleitzeitError('GLZ1007', `the workflow ${TOO_LARGE}`, details);
}

const NAMES_COMPARED = 1000;

async function notFound(
  documents: Documents,
  name: string,
  { version, entries }: { version: string | undefined; entries: readonly Entry[] },
): Promise<GleitzeitError> {
  if (entries.length > 0) {
    const hint = didYouMean(
      version ?? '',
      entries.map((entry) => entry.version),
      'versions',
    );
    return new GleitzeitError('GLZ1010', `"${name}" has no version ${version}`, { field: 'version', hint });
  }
  const { items } = await documents.reads.documents(ENTRIES, { limit: NAMES_COMPARED });
  const names = [...new Set(items.map(({ text }) => (JSON.parse(text) as Entry).name))];
  return new GleitzeitError('GLZ1010', `no workflow "${name}" is defined`, {
    field: 'name',
    hint: names.length === 0 ? 'define it first' : didYouMean(name, names, 'workflows'),
  });
}
