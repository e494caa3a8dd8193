import type { Json, JsonObject } from '../../core/json.ts';
import { isObject, own } from '../../core/json.ts';
import { listIn, textIn } from '../../core/members.ts';
import { code } from './code-span.ts';
import { ANYTHING, type Types, typesWithin } from './schema-types.ts';

type Method = {
  readonly description: string | null;
  readonly params: unknown;
  readonly returns: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
};

export type ProtocolPage = {
  readonly name: string;
  readonly title: string | null;
  readonly version: string;
  readonly description: string | null;
  readonly methods: Readonly<Record<string, Method>>;
};

/** A protocol as a page of Markdown. */
export function protocolPage({ name, title, description, methods }: ProtocolPage): string {
  const head = [
    `# ${text(title ?? name)}`,
    `\`${name}\``,
    ...(description === null ? [] : [text(description)]),
  ];
  const parts = Object.entries(methods).map(([method, one]) => methodPart(name, method, one));
  return `${[...head, ...parts].join('\n\n')}\n`;
}

function methodPart(protocol: string, name: string, method: Method): string {
  const { description, params, returns, examples = [], deprecated, idempotent } = method;
  const said = [
    ...(description === null ? [] : [text(description)]),
    ...(deprecated === true ? ['Deprecated.'] : []),
    ...(idempotent === true ? ['Made twice it does no more than made once.'] : []),
  ].join(' ');
  const fields = fieldsOf(params, 'params');
  const results = fieldsOf(returns, 'result');
  const shown = examples.filter(isObject).map((example) => exampleOf(protocol, name, example));
  return [`## ${code(name)}`, ...(said === '' ? [] : [said]), fields, results, ...shown]
    .filter((part) => part !== '')
    .join('\n\n');
}

type Row = { readonly path: string; readonly schema: Json; readonly required: boolean };

/** Deeper fields are for the schema itself. */
const DEPTH = 3;

function fieldsOf(schema: unknown, named: string): string {
  if (!isObject(schema)) return '';
  const type = typesWithin(schema);
  const rows = rowsOf(type.resolved(schema), '', { depth: DEPTH, type });
  if (rows.length === 0) return named === 'params' ? '' : bareResult(schema, type);
  const lines = rows.map(({ path, schema: inner, required }) => {
    const fallback = isObject(inner) ? own(inner, 'default') : undefined;
    const needed = required ? 'required' : fallback === undefined ? '' : code(JSON.stringify(fallback));
    const meaning = text(textIn(inner, 'description') ?? '');
    return `| ${[code(path), type.of(inner), needed, meaning].map(cell).join(' | ')} |`;
  });
  const head =
    named === 'params' ? '| param | type | default | meaning |' : '| result | type | default | meaning |';
  return [head, '| --- | --- | --- | --- |', ...lines].join('\n');
}

/** A result that is no object has no fields that could be listed. */
function bareResult(schema: JsonObject, type: Types): string {
  const what = type.of(schema);
  if (what === ANYTHING) return '';
  const meaning = textIn(schema, 'description');
  return `The result is ${what}${meaning === null ? '.' : `: ${text(meaning)}`}`;
}

type Around = { readonly depth: number; readonly type: Types };

function rowsOf(schema: JsonObject, path: string, { depth, type }: Around): Row[] {
  const items = own(schema, 'items');
  if (isObject(items)) return rowsOf(type.resolved(items), `${path}[]`, { depth, type });
  const properties = own(schema, 'properties');
  if (!isObject(properties) || depth === 0) return [];
  const required = listIn(schema, 'required');
  return Object.entries(properties).flatMap(([name, inner]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const row = { path: here, schema: inner, required: required.includes(name) };
    if (!isObject(inner)) return [row];
    return [row, ...rowsOf(type.resolved(inner), here, { depth: depth - 1, type })];
  });
}

function exampleOf(protocol: string, method: string, { params, result }: JsonObject): string {
  const task: Json = { protocol, method, params: params ?? {} };
  const answer = result === undefined ? '' : `\n\n\`\`\`json\n${JSON.stringify(result, null, 2)}\n\`\`\``;
  return `\`\`\`json\n${JSON.stringify(task, null, 2)}\n\`\`\`${answer}`;
}

/** Words of others are no Markdown of ours. */
function text(words: string): string {
  return words.replaceAll(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;')).replaceAll(/\s+/g, ' ');
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|');
}
