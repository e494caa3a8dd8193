import { isObject, type Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { didYouMean } from '../../core/suggest.ts';
import { mistake } from '../mapping/mistake.ts';
import { pathOf } from '../mapping/pointer.ts';
import { type Shape, shape } from '../mapping/result.ts';
import { type TemplateParts, template } from '../mapping/template.ts';
import { mostBytes, type Reading } from '../rest/answer.ts';
import { type Pages, pagesOf } from '../rest/pages.ts';
import type { Operation } from '../rest/provider.ts';
import type { MakeRequest } from '../rest/request.ts';
import { graphqlRules } from './answer.ts';
import type { GraphqlConfig, GraphqlMethod } from './config.ts';
import { type Operation as Document, operationOf } from './document.ts';

export type GraphqlParts = TemplateParts &
  Pick<Reading, 'wall' | 'hide'> & { readonly config: GraphqlConfig };

const accept = 'application/graphql-response+json, application/json;q=0.9';

/** A method as a request over HTTP: everything that carries it is the same as for any other API. */
export function operationFor(method: GraphqlMethod, at: string, parts: GraphqlParts): Operation {
  const operation = operationOf(method.document, method.operation, child(at, 'document'));
  const { config, wall, hide } = parts;
  const rules = graphqlRules(config.errors, method.partial ?? false);
  return {
    before: null,
    make: requestFor(method, operation, { at, parts }),
    reading: { kind: 'json', content_types: [], ok: [], rules, wall, hide },
    max_bytes: mostBytes('json'),
    shape: shapeOfData(method.result ?? '', child(at, 'result')),
    usage: null,
    pages: pagesFor(method.pagination, operation, child(at, 'pagination')),
    poll: null,
  };
}

type Place = { readonly at: string; readonly parts: GraphqlParts };

function requestFor(method: GraphqlMethod, operation: Document, { at, parts }: Place): MakeRequest {
  const url = new URL(parts.config.url);
  const variables = template(variablesOf(method, operation, at), child(at, 'variables'), parts);
  const fixed = {
    query: method.document,
    ...(operation.name === null ? {} : { operationName: operation.name }),
  };
  const defaults = { accept, 'content-type': 'application/json' };
  return (scope, page) => {
    const body: Json = { ...fixed, variables: variables.fill(scope) ?? {} };
    const text = JSON.stringify(page?.body === undefined ? body : page.body(body));
    return { method: 'POST', url, defaults, headers: {}, body: text, foreign: false };
  };
}

/** By name from the params, unless the configuration says otherwise. */
function variablesOf(method: GraphqlMethod, { variables }: Document, at: string): Json {
  const declared = variables.map(({ name }) => name);
  if (method.variables === undefined)
    return Object.fromEntries(declared.map((name) => [name, `\${params[${JSON.stringify(name)}]}`]));
  const given = Object.keys(method.variables);
  const field = child(at, 'variables');
  for (const name of given)
    if (!declared.includes(name))
      throw mistake(child(field, name), `the operation has no variable $${name}`, didYouMean(name, declared));
  const paged = method.pagination?.variable;
  for (const { name, required } of variables)
    if (required && !given.includes(name) && name !== paged)
      throw mistake(child(field, name), 'is missing', `the operation cannot do without $${name}`);
  return method.variables;
}

/** Results are made of `data` alone. */
function shapeOfData(result: Json, at: string): Shape {
  const inner = shape(result, at);
  return {
    fill: (scope) => {
      const { answer } = scope;
      return inner.fill({ ...scope, answer: isObject(answer) ? answer['data'] : undefined });
    },
  };
}

function pagesFor(config: GraphqlMethod['pagination'], { variables }: Document, at: string): Pages | null {
  if (config === undefined) return null;
  const { items, from, more, variable, max_pages } = config;
  const declared = variables.map(({ name }) => name);
  if (!declared.includes(variable)) {
    const reason = `the operation has no variable $${variable}`;
    throw mistake(child(at, 'variable'), reason, didYouMean(variable, declared, 'it has'));
  }
  pathOf(items, child(at, 'items'));
  const pages = {
    by: 'cursor' as const,
    items: `/data${items}`,
    from: `/data${from}`,
    body: child('/variables', variable),
    ...(more === undefined ? {} : { more: `/data${more}` }),
    ...(max_pages === undefined ? {} : { max_pages }),
  };
  return pagesOf(pages, at);
}
