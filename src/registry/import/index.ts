import { isObject, type JsonObject, own } from '../../core/json.ts';
import { fromGraphql } from './graphql.ts';
import { type Imported, type ImportOptions, unreadable } from './imported.ts';
import { fromMcp } from './mcp.ts';
import { fromOpenapi } from './openapi.ts';
import { fromOpenrpc } from './openrpc.ts';

export type { Imported, ImportOptions } from './imported.ts';

export const importKinds = ['openapi', 'openrpc', 'mcp', 'graphql'] as const;
export type ImportKind = (typeof importKinds)[number];

const readers: Readonly<Record<ImportKind, (document: JsonObject, options: ImportOptions) => Imported>> = {
  openapi: fromOpenapi,
  openrpc: fromOpenrpc,
  mcp: fromMcp,
  graphql: fromGraphql,
};

/** A protocol with its provider, made of what a service says of itself. Throws GLZ1008 for what says nothing. */
export function importProtocol(document: unknown, kind: ImportKind | null, options: ImportOptions): Imported {
  // Answers of JSON-RPC are taken as they came.
  const inner = isObject(document) && isObject(own(document, 'result')) ? own(document, 'result') : document;
  if (!isObject(inner)) throw unreadable('the document is no JSON object', 'is it the right file?');
  return readers[kind ?? kindOf(inner)](inner, options);
}

function kindOf(document: JsonObject): ImportKind {
  if (Object.hasOwn(document, 'openapi') || Object.hasOwn(document, 'swagger')) return 'openapi';
  if (Object.hasOwn(document, 'openrpc')) return 'openrpc';
  if (Array.isArray(own(document, 'tools'))) return 'mcp';
  const data = own(document, 'data');
  if (Object.hasOwn(document, '__schema') || (isObject(data) && Object.hasOwn(data, '__schema')))
    return 'graphql';
  throw unreadable(
    'the document is neither OpenAPI nor OpenRPC, no list of tools and no introspection',
    `say what it is: ${importKinds.join(', ')}`,
  );
}
