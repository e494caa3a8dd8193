import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { listIn, objectIn, textIn } from '../../core/members.ts';
import { described } from './described.ts';
import { find, schemaImporter } from './import-schema.ts';
import {
  type Imported,
  type ImportedMethod,
  type ImportOptions,
  methodNames,
  protocolName,
  unreadable,
} from './imported.ts';

/** A JSON-RPC service by its OpenRPC document. */
export function fromOpenrpc(document: JsonObject, options: ImportOptions): Imported {
  const methods = own(document, 'methods');
  if (!Array.isArray(methods))
    throw unreadable('the OpenRPC document has no methods', 'is it the whole document?');
  const notes: string[] = [];
  const schemaOf = schemaImporter(document);
  const named = methodNames();
  const read = methods.flatMap((method: Json) => {
    const made = methodOf(resolved(document, method), { document, schemaOf, named });
    if (made === null) notes.push('a method without a name was left out');
    else if (made.byPosition) notes.push(`${made.name} takes its params by position, which tasks do not do`);
    return made ?? [];
  });
  const info = objectIn(document, 'info');
  const [server] = listIn(document, 'servers');
  const url = options.url ?? textIn(server, 'url');
  const renamed = read.filter(({ name, mapping }) => name !== mapping);
  const config = {
    url: url ?? 'https://service.example/rpc',
    ...(renamed.length === 0
      ? {}
      : { methods: Object.fromEntries(renamed.map(({ name, mapping }) => [name, mapping])) }),
  };
  if (url === null) notes.push('the document does not say where the service is: put in its url');
  const entry = {
    name: options.name ?? protocolName(textIn(info, 'title') ?? '', textIn(info, 'version') ?? ''),
    ...described(info),
    methods: Object.fromEntries(read.map(({ name, definition }) => [name, definition])),
    providers: [{ type: 'jsonrpc-http', config }],
  };
  return { entry, notes };
}

type Reading = {
  readonly document: JsonObject;
  readonly schemaOf: (schema: unknown) => Json;
  readonly named: (written: string) => string;
};

function methodOf(
  method: JsonObject,
  { document, schemaOf, named }: Reading,
): (ImportedMethod & { byPosition: boolean }) | null {
  const written = textIn(method, 'name');
  if (written === null) return null;
  const params = listIn(method, 'params').map((param) => resolved(document, param));
  const properties = params.flatMap((param) => {
    const name = textIn(param, 'name');
    return name === null ? [] : [[name, schemaOf(own(param, 'schema'))] as const];
  });
  const required = params
    .filter((param) => own(param, 'required') === true)
    .map((param) => textIn(param, 'name'));
  const result = resolved(document, own(method, 'result') as Json);
  const definition = {
    ...described(method),
    params: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    ...(Object.hasOwn(result, 'schema') ? { returns: schemaOf(own(result, 'schema')) } : {}),
  };
  const byPosition = textIn(method, 'paramStructure') === 'by-position';
  return { name: named(written), definition, mapping: written, byPosition };
}

function resolved(document: JsonObject, value: Json | undefined): JsonObject {
  const ref = textIn(value, '$ref');
  const found = ref === null ? value : find(document, ref);
  return isObject(found) ? found : {};
}
