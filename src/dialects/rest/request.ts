import type { Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { mistake } from '../mapping/mistake.ts';
import { nothingThere, type Scope, type TemplateParts, textTemplate, written } from '../mapping/template.ts';
import { type Fill, pathTemplate, queryTemplate, unusable } from './address.ts';
import { bodyTemplate } from './body.ts';
import type { MethodConfig } from './config.ts';

/** A request as a mapping makes it, without what is shown of us. */
export type Asked = {
  readonly method: string;
  readonly url: URL;
  /** Sent where the configuration has no such header. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly foreign: boolean;
};

/** What a page adds to the request it is asked for with. */
export type PageMark = {
  readonly query?: readonly [string, string];
  readonly body?: (body: Json) => Json;
};

export type MakeRequest = (scope: Scope, page?: PageMark) => Asked;

export type RequestParts = TemplateParts & {
  /** The address of the service. */
  readonly base: URL;
  /** What kind of answer is asked for. */
  readonly accept: string;
};

/** The words that references in a request can begin with. */
export const requestHeads: readonly string[] = ['params', 'call', 'before'];

export function scopeOf({ params, call_id, task_id, workflow_id, attempt }: ProviderCall): Scope {
  return { params, call: { id: call_id, task_id, workflow_id, attempt } };
}

/** Reads the mapping of one method once, so that a call only has to fill it in. */
export function requestTemplate(config: MethodConfig, at: string, parts: RequestParts): MakeRequest {
  const body = bodyTemplate(config, at, parts);
  const method = config.method ?? (body === null ? 'GET' : 'POST');
  if (body !== null && (method === 'GET' || method === 'HEAD'))
    throw mistake(child(at, 'method'), `${method} sends nothing`, 'put it under query, or use POST');
  const address = addressTemplate(config, at, parts);
  const headers = headersTemplate(config, at, parts);
  return (scope, page) => {
    const { url, foreign } = address(scope, page);
    const sent = body?.make(scope, page?.body) ?? { body: null, type: null };
    const defaults =
      sent.type === null ? { accept: parts.accept } : { accept: parts.accept, 'content-type': sent.type };
    return { method, url, foreign, defaults, headers: headers(scope), body: sent.body };
  };
}

type Address = { readonly url: URL; readonly foreign: boolean };

function addressTemplate(
  config: Pick<MethodConfig, 'path' | 'url' | 'query'>,
  at: string,
  parts: RequestParts,
): (scope: Scope, page?: PageMark) => Address {
  const query = queryTemplate(config.query ?? {}, child(at, 'query'), parts);
  if (config.url !== undefined) {
    if (config.path !== undefined) throw mistake(child(at, 'path'), 'stands beside url', 'leave one out');
    return elsewhere(config.url, query, { at: child(at, 'url'), parts });
  }
  const path = config.path === undefined ? () => '' : pathTemplate(config.path, child(at, 'path'), parts);
  const { base } = parts;
  const start = `${base.origin}${config.path === undefined ? base.pathname : base.pathname.replace(/\/$/, '')}`;
  return (scope, page) => {
    const url = `${start}${path(scope)}${joined(base.search, withPage(query(scope), page))}`;
    return { url: new URL(url), foreign: false };
  };
}

/** An address out of the params: whoever submits tasks chose it, not whoever runs this. */
function elsewhere(text: string, query: Fill, { at, parts }: { at: string; parts: RequestParts }) {
  const filled = textTemplate(text, at, parts);
  return (scope: Scope, page?: PageMark): Address => {
    const value = filled.fill(scope);
    if (value === undefined) throw nothingThere(text, at);
    const url = typeof value === 'string' ? URL.parse(value) : null;
    if (url === null) throw unusable(at, 'is no address');
    url.search = joined(url.search, withPage(query(scope), page));
    return { url, foreign: true };
  };
}

function withPage(query: string, page: PageMark | undefined): string {
  if (page?.query === undefined) return query;
  const [name, value] = page.query;
  return joined(query, `?${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
}

function joined(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first}&${second.slice(1)}`;
}

function headersTemplate(config: MethodConfig, at: string, parts: RequestParts) {
  const filled = Object.entries(config.headers ?? {}).map(([name, text]) => {
    const field = child(child(at, 'headers'), name);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw mistake(field, 'is no name of a header');
    return { name: name.toLowerCase(), field, text: textTemplate(text, field, parts) };
  });
  return (scope: Scope): Record<string, string> => {
    const headers: Record<string, string> = {};
    for (const { name, field, text } of filled) {
      const value = text.fill(scope);
      if (value !== undefined && value !== null) headers[name] = line(written(value), field);
    }
    return headers;
  };
}

/** A line break in a param would be one in the headers. */
function line(text: string, at: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw unusable(at, 'holds characters that no header can carry');
}
