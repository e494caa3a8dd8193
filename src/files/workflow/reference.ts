import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { describeSchema } from '../describe.ts';
import { wordsOf } from '../schema.ts';
import { batchSchema, workflowSchema } from './schema.ts';

/** The tables of the page about workflow files, by the mark they stand under. */
export function workflowFileTables(): Readonly<Record<string, string>> {
  const workflow = wordsOf(workflowSchema).properties;
  const task = own(workflow['tasks'] as JsonObject, 'items') as JsonObject;
  const retry = wordsOf(task).properties['retry_config'] as JsonObject;
  const batch = wordsOf(batchSchema).properties;
  return {
    workflow: keyTable(workflowSchema),
    task: keyTable(task),
    retry_config: keyTable(retry),
    batch: keyTable(batch['batch'] as JsonObject),
    older: olderTable({
      '': workflowSchema,
      'tasks[].': task,
      'tasks[].retry_config.': retry,
      'batch: ': batchSchema,
    }),
  };
}

/** The page with its tables made anew: each stands between `<!-- table: name -->` and `<!-- end -->`. */
export function withTables(page: string): string {
  const tables = workflowFileTables();
  return page.replaceAll(/(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, head, name, tail) => {
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (table === undefined) throw new Error(`there is no table "${name}"`);
    return `${head}\n${table}\n\n${tail}`;
  });
}

function keyTable(schema: JsonObject): string {
  const { properties, required } = wordsOf(schema);
  const rows = Object.entries(properties).flatMap(([key, inner]) => {
    if (!isObject(inner) || own(inner, 'deprecated') === true) return [];
    const needed = required.includes(key) ? 'required' : String(inner['x-needed'] ?? fallback(inner));
    return [line([code(key), typeText(inner), needed, String(inner['description'] ?? '')])];
  });
  return [line(['key', 'type', 'default', 'meaning']), line(Array(4).fill('---')), ...rows].join('\n');
}

/** Older keys, and older forms of keys that are still there. */
function olderTable(schemas: Readonly<Record<string, JsonObject>>): string {
  const rows = Object.entries(schemas).flatMap(([prefix, schema]) =>
    Object.entries(wordsOf(schema).properties).flatMap(([key, inner]) => {
      if (!isObject(inner)) return [];
      const forms = own(inner, 'deprecated') === true ? [inner] : olderForms(inner);
      // What a batch has like every workflow is told of once.
      if (prefix === 'batch: ' && Object.hasOwn(wordsOf(workflowSchema).properties, key)) return [];
      return forms.map((form) => line([code(prefix + key), typeText(form), instead(form)]));
    }),
  );
  return [line(['key', 'as', 'today']), line(Array(3).fill('---')), ...rows].join('\n');
}

function olderForms(schema: JsonObject): readonly JsonObject[] {
  const branches = own(schema, 'anyOf');
  if (!Array.isArray(branches)) return [];
  return branches.filter(
    (branch: Json): branch is JsonObject => isObject(branch) && own(branch, 'deprecated') === true,
  );
}

function instead(schema: JsonObject): string {
  return String(schema['description'] ?? '').replace(/^older: /, '');
}

function typeText(schema: JsonObject): string {
  const type = describeSchema(schema).replaceAll('|', '\\|');
  return schema['x-nullable'] === true ? `${type} or null` : type;
}

function fallback(schema: JsonObject): string {
  const value = own(schema, 'default');
  return value === undefined ? '' : code(typeof value === 'string' ? value : JSON.stringify(value));
}

function code(text: string): string {
  return `\`${text}\``;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
