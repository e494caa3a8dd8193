import { AGENT_PROTOCOL } from '../core/agent.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';
import { lineageOf, wholeMethods } from '../core/lineage.ts';
import type { ParamsCall, Schemas, SecretFields } from '../core/ports/schemas.ts';
import type { MethodDefinition, ProtocolDefinition } from '../core/protocol.ts';
import { hasReferences } from '../core/references.ts';
import { didYouMean } from '../core/suggest.ts';
import { type Compile, type CompiledSchema, schemaCompiler } from './compile.ts';
import { libraryProtocols } from './library/index.ts';
import { explain, type SchemaTrouble } from './schema-errors.ts';

/** The protocols that are known, and the judgement of params and results by them. */
export interface Protocols extends Schemas {
  /**
   * Adds a protocol or replaces the one of the same name. Schemas and examples are checked at once (GLZ1008), or with
   * `compile: 'on_use'` when a method is first called: for definitions that tests already vouch for.
   */
  register(definition: ProtocolDefinition, options?: { readonly compile?: 'now' | 'on_use' }): void;
  /** Tasks of it that were accepted before wait until it is there again. */
  unregister(name: string): void;
  /** As registered, with the methods that what it extends has now. */
  get(name: string): ProtocolDefinition | undefined;
  list(): readonly ProtocolDefinition[];
}

type Method = {
  readonly params: CompiledSchema;
  readonly returns: CompiledSchema;
  readonly secrets: SecretFields;
};
type Entry = {
  readonly registered: ProtocolDefinition;
  /** With the methods of what it extends. */
  readonly definition: ProtocolDefinition;
  readonly methods: ReadonlyMap<string, () => Method>;
};

export function createProtocols(): Protocols {
  const entries = new Map<string, Entry>();

  function methodOf({
    protocol,
    method: name,
  }: {
    readonly protocol: string;
    readonly method: string;
  }): Method {
    const entry = entries.get(protocol) ?? builtIn(protocol);
    if (entry === undefined) throw unknownProtocol(protocol, [...entries.keys()]);
    const method = entry.methods.get(name);
    if (method === undefined) throw unknownMethod(protocol, name, [...entry.methods.keys()]);
    return method();
  }

  const registered = (name: string) => entries.get(name)?.registered ?? libraryProtocols().get(name);
  const heirsOf = (name: string) =>
    [...entries.values()]
      .map((entry) => entry.registered)
      .filter((heir) => heir.name !== name && lineageOf(heir, registered).some((one) => one.name === name));
  const renew = (heirs: readonly ProtocolDefinition[]) => {
    for (const heir of heirs) entries.set(heir.name, entryOf(heir, registered));
  };

  return {
    register(definition, { compile = 'now' } = {}) {
      refuseBuiltIn(definition);
      const entry = entryOf(definition, registered);
      if (compile === 'now')
        for (const [name, method] of entry.methods)
          checkExamples(name, entry.definition.methods[name], method());
      entries.set(definition.name, entry);
      renew(heirsOf(definition.name));
    },
    unregister: (name) => {
      const heirs = heirsOf(name);
      entries.delete(name);
      renew(heirs);
    },
    get: (name) => (entries.get(name) ?? builtIn(name))?.definition,
    list: () => [...entries.values()].map((entry) => entry.definition),
    has: (name) => entries.has(name) || name === AGENT_PROTOCOL,
    checkParams: (call) => checkParams(methodOf(call).params, call),
    checkResult: (call) => checkResult(methodOf(call).returns, call.result),
    secrets: (protocol, method) => methodOf({ protocol, method }).secrets,
  };
}

/** The protocol of the agents is there whether anybody names it or not; listed it is where somebody does. */
function builtIn(name: string): Entry | undefined {
  return name === AGENT_PROTOCOL ? agents() : undefined;
}

const agents = once(() => {
  const definition = libraryProtocols().get(AGENT_PROTOCOL);
  return definition && entryOf(definition, () => undefined);
});

/** Whoever connects agents counts on it. */
function refuseBuiltIn({ name, methods }: ProtocolDefinition): void {
  if (name !== AGENT_PROTOCOL) return;
  if (JSON.stringify(methods) === JSON.stringify(libraryProtocols().get(name)?.methods)) return;
  const reason = `the protocol "${name}" is built in and cannot be another`;
  const hint = 'give yours another name, or leave out its methods';
  throw new GleitzeitError('GLZ1008', reason, { field: '/name', reason, hint });
}

function entryOf(
  registered: ProtocolDefinition,
  get: (name: string) => ProtocolDefinition | undefined,
): Entry {
  const inherits = lineageOf(registered, get).length > 1;
  const definition = { ...registered, methods: wholeMethods(registered, get) };
  return { registered, definition, methods: methodsOf(registered, inherits ? definition : null) };
}

/** What was compiled of a definition, so that one that was tried out before it is used is not compiled again. */
const compiled = new WeakMap<ProtocolDefinition, ReadonlyMap<string, () => Method>>();

/** `whole`: with the methods of what it extends, which may be others the next time. */
function methodsOf(
  definition: ProtocolDefinition,
  whole: ProtocolDefinition | null,
): ReadonlyMap<string, () => Method> {
  if (whole !== null) return compileMethods(whole.methods);
  const known = compiled.get(definition) ?? compileMethods(definition.methods);
  compiled.set(definition, known);
  return known;
}

function compileMethods(methods: ProtocolDefinition['methods']): ReadonlyMap<string, () => Method> {
  const compile = schemaCompiler();
  return new Map(
    Object.entries(methods).map(([name, method]) => [name, once(() => compileMethod(name, method, compile))]),
  );
}

function compileMethod(name: string, method: MethodDefinition, compile: Compile): Method {
  const at = child('/methods', name);
  const params = compile(`${at}/params`, method.params);
  const returns = compile(`${at}/returns`, method.returns);
  return { params, returns, secrets: { params: params.secrets, result: returns.secrets } };
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function checkParams(
  schema: CompiledSchema,
  { params, stage }: Pick<ParamsCall, 'params' | 'stage'>,
): JsonObject {
  if (Object.hasOwn(params, '__proto__')) {
    throw misfit('GLZ1005', '/params/__proto__', { pointer: '', reason: '"__proto__" cannot be a key' });
  }
  const filled = schema.fill === undefined ? params : (schema.fill(params) as JsonObject);
  const open = stage === 'template' && hasReferences(params);
  const errors = open ? schema.checkTemplate(filled) : schema.check(filled);
  if (errors !== undefined) throw misfit('GLZ1005', '/params', explain(errors, schema.secrets));
  return filled;
}

function checkResult(schema: CompiledSchema, result: Json): void {
  const errors = schema.check(result);
  if (errors !== undefined) throw misfit('GLZ2005', '/result', explain(errors, schema.secrets));
}

/** An example is documentation that must be true. It may refer to other tasks, as params may. */
function checkExamples(name: string, definition: MethodDefinition | undefined, method: Method): void {
  for (const [i, { params, result }] of (definition?.examples ?? []).entries()) {
    const at = child(`${child('/methods', name)}/examples`, i);
    try {
      checkParams(method.params, { params, stage: 'template' });
      if (result !== undefined) checkResult(method.returns, result);
    } catch (thrown) {
      const { message, details } = GleitzeitError.from(thrown);
      const { field = '', reason = message } = details;
      throw misfit('GLZ1008', at, { ...details, pointer: field, reason });
    }
  }
}

function misfit(code: ErrorCode, at: string, { pointer, reason, hint }: SchemaTrouble): GleitzeitError {
  const field = `${at}${pointer}`;
  return new GleitzeitError(
    code,
    `${field}: ${reason}`,
    hint === undefined ? { field, reason } : { field, reason, hint },
  );
}

function unknownProtocol(name: string, known: readonly string[]): GleitzeitError {
  const reason = `no protocol is called "${name}"`;
  const hint = didYouMean(name, known, 'registered protocols');
  return new GleitzeitError('GLZ1003', reason, { field: '/protocol', reason, hint });
}

function unknownMethod(protocol: string, name: string, known: readonly string[]): GleitzeitError {
  const reason = `protocol "${protocol}" has no method "${name}"`;
  const hint = didYouMean(name, known, 'its methods');
  return new GleitzeitError('GLZ1004', reason, { field: '/method', reason, hint });
}
