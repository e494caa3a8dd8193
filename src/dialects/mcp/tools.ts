import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { allPages } from './pages.ts';
import { patiently } from './patiently.ts';
import { type Mirrored, mirroredIn } from './tool-headers.ts';

/** What is known of a tool from its server's list. */
export type Tool = {
  readonly name: string;
  readonly mirrored: readonly Mirrored[];
  readonly output_schema: JsonObject | null;
  /** Whether it has to be called as a task of the server (2025-11-25). */
  readonly task_required: boolean;
  /** Why its headers cannot be made: over HTTP, in the newer era, it is as if it were not there. */
  readonly invalid: string | null;
};

export type Listed = { readonly tools: ReadonlyMap<string, Tool>; readonly fresh_until: number };

/** A list is taken as right for at least so long, whatever its server says: it is not asked for with every call. */
const LEAST_MS = 60_000;
const MOST_MS = 10 * 60_000;

/** The tools of a server, asked for once and again when it says that they have changed. */
export class Tools {
  readonly #ask: (params: JsonObject) => Promise<JsonObject>;
  readonly #clock: Clock;
  #listed: Listed | null = null;
  #listing: Promise<Listed> | null = null;
  #changes = 0;

  constructor(ask: (params: JsonObject) => Promise<JsonObject>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** The last list, also where it is not fresh any more; null before the first. */
  get known(): ReadonlyMap<string, Tool> | null {
    return this.#listed?.tools ?? null;
  }

  forget(): void {
    this.#changes++;
    if (this.#listed !== null) this.#listed = { ...this.#listed, fresh_until: 0 };
  }

  async list(signal: AbortSignal): Promise<ReadonlyMap<string, Tool>> {
    const listed = this.#listed;
    if (listed !== null && this.#clock.monotonic() < listed.fresh_until) return listed.tools;
    this.#listing ??= this.#load().finally(() => {
      this.#listing = null;
    });
    return (await patiently(this.#listing, signal)).tools;
  }

  async #load(): Promise<Listed> {
    const changes = this.#changes;
    const result = await allPages('tools', {}, this.#ask).catch(unlisted);
    const tools = new Map<string, Tool>();
    for (const tool of toolsIn(result)) tools.set(tool.name, tool);
    const ttl = own(result, 'ttlMs');
    const keep = typeof ttl === 'number' ? Math.min(Math.max(ttl, LEAST_MS), MOST_MS) : MOST_MS;
    const stale = changes !== this.#changes;
    this.#listed = { tools, fresh_until: stale ? 0 : this.#clock.monotonic() + keep };
    return this.#listed;
  }
}

/** A server that will not list its tools may have some all the same: they are called by name, and it says what it thinks. */
function unlisted(thrown: unknown): JsonObject {
  const { code, details } = GleitzeitError.from(thrown);
  if (code === 'GLZ2005' || details.remote_code !== undefined) return { tools: [], ttlMs: 0 };
  throw thrown;
}

function toolsIn(result: JsonObject): Tool[] {
  const tools = own(result, 'tools') as readonly Json[];
  return tools.filter(isNamed).map(readTool);
}

/** Only those that may be called. */
export function withoutInvalid(tools: readonly Json[]): JsonObject[] {
  return tools.filter(isNamed).filter((tool) => !('invalid' in mirroredIn(own(tool, 'inputSchema'))));
}

function isNamed(tool: Json): tool is JsonObject {
  return isObject(tool) && typeof own(tool, 'name') === 'string';
}

function readTool(tool: JsonObject): Tool {
  const mirrored = mirroredIn(own(tool, 'inputSchema'));
  const output = own(tool, 'outputSchema');
  const execution = own(tool, 'execution');
  return {
    name: String(own(tool, 'name')),
    mirrored: 'invalid' in mirrored ? [] : mirrored,
    output_schema: isObject(output) ? output : null,
    task_required: isObject(execution) && own(execution, 'taskSupport') === 'required',
    invalid: 'invalid' in mirrored ? mirrored.invalid : null,
  };
}

/** Names that stay apart where the tools of several servers are listed together. */
export function namespaced(provider: string, tools: readonly JsonObject[]): JsonObject[] {
  return tools.map((tool) => ({ ...tool, name: `${provider}.${String(own(tool, 'name'))}` }));
}

/** The name by which the server itself knows a tool. */
export function ownName(provider: string, name: string, known: ReadonlyMap<string, Tool>): string {
  const prefix = `${provider}.`;
  return name.startsWith(prefix) && !known.has(name) ? name.slice(prefix.length) : name;
}
