import { type ErrorCode, errorCodes } from '../core/error-codes.ts';
import type { JsonObject } from '../core/json.ts';
import { type Components, hoist } from './components.ts';
import { commonErrors, type Method } from './method.ts';
import { methodEntries } from './methods.ts';
import { fieldTable, typeText } from './reference-types.ts';
import { eventNotification } from './shapes/event.ts';

const intro = `# The JSON-RPC API

Made from the method table in \`src/api\`; the same table validates requests and makes \`/openrpc.json\`.

Send a JSON-RPC 2.0 request to \`POST /rpc\`, or over a WebSocket on \`/rpc\`. Params are given by name; an unknown one is
refused with the nearest known name. A field marked \`?\` may be left out. Times are ISO 8601 in UTC. Lists answer with
\`items\` and \`next_cursor\`, which is the \`cursor\` of the next page.

Roles: \`viewer\` looks, \`operator\` also sends and steers work, \`admin\` also changes what the system is made of. \`bridge\`
looks as well, and is shown the secrets of agents by \`agent.list\` and \`agent.get\`, which nobody else is. Without
keys a server on loopback treats everybody as \`admin\`.

\`GET /events\` streams events (server-sent events, \`id:\` is the cursor, \`Last-Event-ID\` is understood); its query takes
the params of \`event.subscribe\`, names of events separated by commas. \`GET /health\` answers 200 once work is accepted,
\`GET /ready\` tells whether the store is reachable and the engine runs, \`GET /metrics\` is for Prometheus.
`;

/** The reference page, as text. */
export function referencePage(): string {
  const found: Components = new Map();
  const families = Map.groupBy(methodEntries, ([name]) => name.slice(0, name.indexOf('.')));
  const chapters = [...families].map(([family, entries]) => {
    const parts = entries.map(([name, method]) => methodText(name, method, found));
    return `## ${family}\n\n${parts.join('\n')}`;
  });
  hoist(eventNotification, found);
  return [intro, ...chapters, shapesText(found), errorsText()].join('\n');
}

function methodText(name: string, method: Method, found: Components): string {
  const { summary, description, role, errors, examples } = method;
  const result = hoist(method.result, found);
  const lines = [
    `### ${name}`,
    '',
    `${summary}.${description === undefined ? '' : ` ${description}`}`,
    '',
    `Role: \`${role}\`. ${errorsLine(errors)}`,
    '',
    ...section('Params', fieldTable(hoist(method.params, found))),
    ...section('Result', resultLines(result)),
    ...examples.flatMap((example) => exampleLines(name, example)),
  ];
  return lines.join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, '', ...lines, ''];
}

function resultLines(result: JsonObject): string[] {
  const table = fieldTable(result);
  return table.length > 0 ? table : [typeText(result)];
}

function errorsLine(errors: readonly ErrorCode[]): string {
  if (errors.length === 0) return 'Errors: [those of every method](#errors).';
  const shown = errors.map((code) => `${code} \`${errorCodes[code].name}\``);
  return `Errors: ${shown.join(', ')}, and [those of every method](#errors).`;
}

function exampleLines(method: string, { name, params, result }: Method['examples'][number]): string[] {
  const request = JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 });
  const answer = JSON.stringify({ jsonrpc: '2.0', result, id: 1 });
  return [`Example, ${name}:`, '', '```json', request, answer, '```', ''];
}

function shapesText(found: Components): string {
  const shapes = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = shapes.map(([title, schema]) => {
    const { description, title: _, ...rest } = schema;
    const table = fieldTable(rest);
    const said = typeof description === 'string' ? `${description}\n\n` : '';
    return `### ${title}\n\n${said}${table.length > 0 ? table.join('\n') : typeText(rest)}\n`;
  });
  return `## Shapes\n\n${parts.join('\n')}`;
}

/** What a request can be answered with before any method sees it. */
const envelopeErrors: readonly ErrorCode[] = ['GLZ4005', 'GLZ4006', 'GLZ4007'];

function errorsText(): string {
  const used = new Set([
    ...envelopeErrors,
    ...commonErrors,
    ...methodEntries.flatMap(([, { errors }]) => errors),
  ]);
  const rows = [...used].sort().map((code) => {
    const { rpc, name } = errorCodes[code];
    const every = (commonErrors as readonly ErrorCode[]).includes(code) ? 'every method' : '';
    const where = envelopeErrors.includes(code) ? 'every request' : every || 'where its method says so';
    return `| ${code} | \`${name}\` | ${rpc} | ${where} |`;
  });
  return [
    '## Errors',
    '',
    'An answer is an [Error](#error) with the JSON-RPC code in `code` and ours in `data.error_code`.',
    '[errors.md](errors.md) says of each what it means and what to do.',
    '',
    '| code | name | JSON-RPC | who answers with it |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
