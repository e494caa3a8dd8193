import type { Functions } from '../../core/function-call.ts';
import type { JsonObject } from '../../core/json.ts';
import type { MethodDefinition, ProtocolDefinition } from '../../core/protocol.ts';

/** What is known of protocols where a file is read: from the configuration beside it, or from a server. */
export type KnownProtocols = {
  /** Undefined: there is none of that name. */
  get(name: string): ProtocolDefinition | undefined;
  names(): readonly string[];
  /** Whether there may be others, known to whoever is going to run the workflow: then an unknown name is no mistake. */
  readonly partial?: boolean;
  /** What the functions of earlier generations are today. */
  readonly functions?: Functions;
  /** Names of all agents, where these are known. */
  agents?(): readonly string[] | undefined;
  /** The last word on params that hold no certain mistake. Throws GLZ1005 with `/params/…` as its field. */
  checkParams?(call: {
    readonly protocol: string;
    readonly method: string;
    readonly params: JsonObject;
  }): void;
};

export type Methods = Readonly<Record<string, MethodDefinition>>;

/** A protocol extends another that extends another; nobody means more than this, or a circle. */
const MOST_BASES = 16;

/** The methods of a protocol with those of what it extends; undefined where there is no such protocol. */
export function methodsOf(protocols: KnownProtocols, name: string): Methods | undefined {
  let definition = protocols.get(name);
  if (definition === undefined) return undefined;
  let methods: Methods = {};
  for (let i = 0; i < MOST_BASES && definition !== undefined; i++) {
    methods = { ...definition.methods, ...methods };
    definition = definition.extends === null ? undefined : protocols.get(definition.extends);
  }
  return methods;
}

/** Those that a list of definitions gives. */
export function protocolsOf(
  definitions: readonly ProtocolDefinition[],
  options: Pick<KnownProtocols, 'partial' | 'functions'> = {},
): KnownProtocols {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  return { ...options, get: (name) => byName.get(name), names: () => [...byName.keys()] };
}
