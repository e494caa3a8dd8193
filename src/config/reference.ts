import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { describeSchema } from '../files/describe.ts';
import { wordsOf } from '../files/schema.ts';
import { settings } from './overrides.ts';
import { schema } from './schema.ts';

/** What a kind of provider has to be told. */
export type ProviderTypeEntry = { readonly summary: string; readonly schema: object };

/** The page that lists every key, made from the schema itself. */
export function configReference(provider_types: Readonly<Record<string, ProviderTypeEntry>>): string {
  const { properties } = wordsOf(schema as JsonObject);
  const sections = Object.entries(properties).map(([name, inner]) => sectionOf(name, inner as JsonObject));
  const types = Object.entries(provider_types).map(([type, entry]) => typeOf(type, entry));
  return `${[head, ...sections, typesHead, ...types].join('\n\n')}\n`;
}

const head = `# Configuration

A file of YAML 1.2, or of JSON by RFC 8259 where its name ends in \`.json\`: \`gleitzeit serve --config FILE\`. Without one,
everything has the default below. A mistake is answered with line, column, the line itself and the nearest known key, all of
them at once, and nothing starts.

- A number of time is in seconds; text carries its unit: \`250ms\`, \`30s\`, \`2m\`, \`1h30m\`, \`PT30S\`. A number of size is in
  bytes, or \`256KiB\`, \`8MiB\`, \`1GB\`.
- Relative paths count from the file. In a variable they count from the working folder.
- \`\${NAME}\` is the environment variable, put in when the file is read; \`\${NAME:-default}\` where it is not set or empty.
  \`\${secrets.name}\` is one of \`secrets\`. \`$\${\` stands for the characters \`\${\` themselves.
- Every key can be set by the variable in its row, which wins over the file. Lists of texts are separated by commas; other
  lists and mappings are written as in the file. An empty variable says nothing.
- \`GLEITZEIT_STORE_URL\` is \`postgres://…\` or \`sqlite:PATH\`, and replaces \`store\`. \`DATABASE_URL\` is read by \`gleitzeit serve\`,
  \`bridge\` and \`db\` only, and only where nothing else names a store.
- \`gleitzeit serve\` and \`bridge\` also read \`KAFKA_BROKERS\`, \`TASKS_TOPIC\`, \`RESULTS_TOPIC\` and \`CONSUMER_GROUP_ID\`, which
  win over the file; \`KAFKA_BROKERS\` only where \`dispatch.type\` is \`kafka\` or not given.
- \`gleitzeit bridge\` also reads \`WORKER_CONCURRENCY\`, \`HTTP_TIMEOUT_SECONDS\`, \`MAX_RETRIES\`, \`AGENT_REGISTRY_URL\`,
  \`LOG_LEVEL\` and \`LOG_FORMAT\`, which win over the file.
- Refused are keys that stand twice, tags, merge keys (\`<<\`), several documents, files over 1 MiB, and aliases that would
  blow a file up.
- When the file changes, or one that \`secrets\` or \`provider_types\` name, or on SIGHUP, protocols, providers, secrets and keys are taken over while work goes on. A
  program over stdio has the secrets it was started with: when they change, a new one takes its place. What was opened with
  a key that is gone is ended; a server that began without keys asks for none until its next start. A change of anything
  else is named in the log and waits for the next start; only files of \`server.tls\` that were renewed are read again, for
  connections that follow. A file that is broken, empty or gone changes nothing: that of a
  secret leaves the secret that is in force, and is taken as soon as it can be used.`;

/** One row of a table: the way to a key and what stands there. */
type Row = { readonly path: Steps; readonly schema: JsonObject };
type Steps = readonly string[];

function sectionOf(name: string, section: JsonObject): string {
  const lines = rowsOf(section, [name]).map(({ path, schema: inner }) =>
    line([
      code(path.join('.')),
      typeText(inner),
      fallback(inner),
      variable(path),
      String(inner['description'] ?? ''),
    ]),
  );
  const whole = variable([name]);
  const note =
    whole === '' || lines.length === 1 ? '' : ` The whole of it: ${whole}, written as in the file.`;
  const table = [
    line(['key', 'type', 'default', 'variable', 'meaning']),
    line(Array(5).fill('---')),
    ...lines,
  ];
  return `## ${code(name)}\n\n${String(section['description'])}${note}\n\n${table.join('\n')}`;
}

function typeOf(type: string, { summary, schema: given }: ProviderTypeEntry): string {
  return `### ${code(type)}\n\n${summary.replace(/\.?$/, '.')}\n\n${configTable(given as JsonObject)}`;
}

/** The keys of what a provider is told. */
export function configTable(inner: JsonObject): string {
  const { required } = wordsOf(inner);
  const lines = rowsOf(inner, []).map(({ path, schema: one }) => {
    const needed = path.length === 1 && required.includes(String(path[0])) ? 'required' : fallback(one);
    return line([code(path.join('.')), typeText(one), needed, String(one['description'] ?? '')]);
  });
  return [line(['key', 'type', 'default', 'meaning']), line(Array(4).fill('---')), ...lines].join('\n');
}

/** Every key below a schema, with what is in lists of mappings as `key[].inner`. */
function rowsOf(schema: JsonObject, path: Steps): Row[] {
  const branches = own(schema, 'anyOf');
  if (Array.isArray(branches) && (path.length <= 1 || branches.every(isKind)))
    return unionRows(schema, branches as JsonObject[], path);
  if (isObject(own(schema, 'properties'))) {
    const { properties } = wordsOf(schema);
    return Object.entries(properties).flatMap(([key, inner]) => rowsOf(inner as JsonObject, [...path, key]));
  }
  const [, named] = wordsOf(schema).patterns[0] ?? [];
  if (isObject(named) && Array.isArray(own(named, 'anyOf')))
    return rowsOf(mergedBranches(named), [...path, '<name>']);
  if (isObject(named) && isObject(own(named, 'properties')))
    return [{ path, schema }, ...rowsOf(named, [...path, '<name>'])];
  const items = own(schema, 'items');
  const listed = isObject(items) && isObject(own(items, 'properties'));
  const inside = listed ? rowsOf(items, [...path.slice(0, -1), `${path.at(-1)}[]`]) : [];
  return [{ path, schema }, ...inside];
}

/** Mappings that are told apart by their `type`, as stores and carriers are. */
function isKind(branch: unknown): boolean {
  if (!isObject(branch)) return false;
  const type = own(wordsOf(branch).properties, 'type');
  return isObject(type) && Object.hasOwn(type, 'const');
}

/** A list of mappings speaks for the other ways to write it; mappings of several kinds share their keys. */
function unionRows(schema: JsonObject, branches: readonly JsonObject[], path: Steps): Row[] {
  const list = branches.find((branch) => own(branch, 'type') === 'array');
  if (list !== undefined) return rowsOf({ ...schema, ...list, anyOf: false }, path).slice(1);
  return rowsOf(mergedBranches(schema), path);
}

function mergedBranches({ anyOf }: JsonObject): JsonObject {
  const merged: Record<string, JsonObject> = {};
  for (const branch of anyOf as unknown as readonly JsonObject[]) {
    for (const [key, inner] of Object.entries(wordsOf(branch).properties) as [string, JsonObject][]) {
      const earlier = merged[key];
      merged[key] = earlier === undefined ? inner : { ...earlier, ...wordsOfBoth(earlier, inner) };
    }
  }
  return { properties: merged };
}

/** A key that stands in several kinds has the words of all of them, where it is the word that tells them apart. */
function wordsOfBoth(earlier: JsonObject, inner: JsonObject): JsonObject {
  if (!Object.hasOwn(inner, 'const')) return {};
  const before = own(earlier, 'enum') ?? [earlier['const'] as Json];
  return { enum: [...new Set([...(before as Json[]), inner['const'] as Json])] };
}

function typeText(schema: JsonObject): string {
  const { const: _, ...open } = schema;
  return describeSchema(Object.hasOwn(schema, 'enum') ? open : schema).replaceAll('|', '\\|');
}

function fallback(schema: JsonObject): string {
  const value = own(schema, 'default');
  return value === undefined ? '' : code(typeof value === 'string' ? value : JSON.stringify(value));
}

function variable(path: Steps): string {
  const found = settings().find((setting) => setting.path.join('.') === path.join('.'));
  return found === undefined ? '' : code(found.name);
}

function code(text: string): string {
  return `\`${text}\``;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

const typesHead = `## Types of providers

What stands under \`protocols[].providers[].config\`, by \`type\`.`;
