import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { listIn, objectIn, textIn } from '../../core/members.ts';
import { described } from './described.ts';
import { resolved, schemaImporter } from './import-schema.ts';
import {
  type Imported,
  type ImportedMethod,
  type ImportOptions,
  methodNames,
  protocolName,
  unreadable,
} from './imported.ts';
import { answerOf, type Body, bodyOf } from './openapi-content.ts';
import { type Parameter, parametersOf, pathWith, type Reading, wordsIn } from './openapi-parameters.ts';
import { securityOf } from './openapi-security.ts';

const verbs = ['get', 'put', 'post', 'delete', 'patch', 'head'] as const;
/** Made twice they do no more than made once. */
const idempotent = ['get', 'head', 'put', 'delete'];

/** An HTTP API by its OpenAPI document: a protocol, and the mapping of its methods to requests. */
export function fromOpenapi(document: JsonObject, options: ImportOptions): Imported {
  const version = textIn(document, 'openapi') ?? textIn(document, 'swagger') ?? '';
  if (!version.startsWith('3.'))
    throw unreadable(`the document is of OpenAPI ${version}`, 'convert it to OpenAPI 3 first');
  const notes: string[] = [];
  const reading = { document, schemaOf: schemaImporter(document), named: methodNames(), notes };
  const read = Object.entries(objectIn(document, 'paths')).flatMap(([path, item]) =>
    isObject(item) ? methodsAt(path, resolved(document, item), reading) : [],
  );
  const info = objectIn(document, 'info');
  const security = securityOf(document, notes);
  const entry = {
    name: options.name ?? protocolName(textIn(info, 'title') ?? '', textIn(info, 'version') ?? ''),
    ...described(info),
    methods: Object.fromEntries(read.map(({ name, definition }) => [name, definition])),
    providers: [
      {
        type: 'rest',
        config: {
          url: addressOf(document, options, notes),
          ...security,
          methods: Object.fromEntries(read.map(({ name, mapping }) => [name, mapping])),
        },
      },
    ],
  };
  return { entry, notes };
}

type Names = { readonly named: (written: string) => string };

function addressOf(document: JsonObject, { url }: ImportOptions, notes: string[]): string {
  const [server] = listIn(document, 'servers');
  const written = textIn(server, 'url') ?? '';
  const variables = objectIn(server, 'variables');
  const filled = written.replaceAll(
    /\{([^}]+)\}/g,
    (_, name: string) => textIn(variables[name], 'default') ?? '',
  );
  if (url !== null) return url.replace(/\/$/, '');
  if (/^https?:\/\//.test(filled)) return filled.replace(/\/$/, '');
  notes.push('the document does not say where the service is: put in its url');
  return `https://service.example${filled.replace(/\/$/, '')}`;
}

function methodsAt(path: string, item: JsonObject, reading: Reading & Names): ImportedMethod[] {
  return verbs.flatMap((verb) => {
    const operation = own(item, verb);
    if (!isObject(operation)) return [];
    const shared = listIn(item, 'parameters');
    const method = methodOf({ path, verb, operation, shared }, reading);
    const [elsewhere] = [...listIn(operation, 'servers'), ...listIn(item, 'servers')];
    const address = textIn(elsewhere, 'url');
    if (address !== null)
      reading.notes.push(`${method.name}: is called at ${address}: give it a provider of its own`);
    return [method];
  });
}

type Operation = {
  readonly path: string;
  readonly verb: (typeof verbs)[number];
  readonly operation: JsonObject;
  readonly shared: readonly Json[];
};

function methodOf({ path, verb, operation, shared }: Operation, reading: Reading & Names): ImportedMethod {
  const { named, notes } = reading;
  const name = named(textIn(operation, 'operationId') ?? `${verb}${path.replaceAll(/[{}]/g, '')}`);
  const [plain = '', ...query] = path.split(/[?#]/);
  if (query.length > 0) notes.push(`${name}: what stands behind its path is left out: see query`);
  const parameters = parametersOf([...listIn(operation, 'parameters'), ...shared], plain, reading);
  const body = verb === 'get' || verb === 'head' ? null : bodyOf(operation, reading);
  const answer = answerOf(operation, reading);
  const queries = wordsIn('query', parameters);
  const headers = {
    ...wordsIn('header', parameters),
    ...(body === null || body.type === null ? {} : { 'content-type': body.type }),
  };
  return {
    name,
    definition: {
      ...described(operation),
      ...(operation['deprecated'] === true ? { deprecated: true } : {}),
      ...(idempotent.includes(verb) ? { idempotent: true } : {}),
      params: paramsOf(parameters, body),
      ...(answer.schema === undefined ? {} : { returns: answer.schema }),
    },
    mapping: {
      method: verb.toUpperCase(),
      path: pathWith(plain, parameters),
      ...(Object.keys(queries).length === 0 ? {} : { query: queries }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...body?.mapping,
      ...(answer.kind === 'json' ? {} : { answer: answer.kind }),
    },
  };
}

function paramsOf(parameters: readonly Parameter[], body: Body | null): JsonObject {
  const required = [
    ...parameters.filter((one) => one.required).map(({ key }) => key),
    ...(body?.required === true ? ['body'] : []),
  ];
  const properties = Object.fromEntries([
    ...parameters.map(({ key, schema }) => [key, schema] as const),
    ...(body === null ? [] : [['body', body.schema] as const]),
  ]);
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
