import type { JsonObject } from '../../core/json.ts';
import { configTable, type ProviderTypeEntry } from '../reference.ts';
import type { Preset } from './preset.ts';
import type { Presets } from './presets.ts';
import type { kinds } from './schema.ts';

/** The page about provider types with its tables made anew: each stands between `<!-- table: name -->` and `<!-- end -->`. */
export function withTypeTables(
  page: string,
  dialects: Readonly<Record<string, ProviderTypeEntry>>,
  presets: Presets,
): string {
  const all = presets.names().flatMap((name) => presets.get(name) ?? []);
  const tables: Readonly<Record<string, string>> = {
    services: overview(all),
    dialects: dialectTable(dialects),
    kinds: kindTable(),
    types: all.map(section).join('\n\n'),
  };
  return page.replaceAll(/(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, head, name, tail) => {
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (table === undefined) throw new Error(`there is no table "${name}"`);
    return `${head}\n${table}\n\n${tail}`;
  });
}

function overview(presets: readonly Preset[]): string {
  const rows = presets.map(({ type, summary, dialect, protocols, unverified }) =>
    line([
      `[\`${type}\`](#${type})`,
      summary,
      protocols.map(code).join(', '),
      code(dialect),
      unverified ? 'by its documents alone' : "with the vendor's own client",
    ]),
  );
  return table(['type', 'service', 'protocols', 'made of', 'tested'], rows);
}

function section({ type, summary, unverified, schema }: Preset): string {
  const warning = unverified
    ? "\n\nUnverified: it is tested against a stand-in that was written by the service's documents, and no client of the vendor could be run against that."
    : '';
  return `### ${type}\n\n${summary.replace(/\.?$/, '.')}${warning}\n\n${configTable(schema as JsonObject)}`;
}

function dialectTable(dialects: Readonly<Record<string, ProviderTypeEntry>>): string {
  const rows = Object.entries(dialects).map(([type, { summary }]) =>
    line([`[\`${type}\`](../reference/configuration.md#${type})`, summary]),
  );
  return table(['type', 'what it is'], rows);
}

const meanings: Readonly<Record<keyof typeof kinds, string>> = {
  text: 'text that is not empty',
  url: 'an address that begins with `http://` or `https://`',
  secret: 'text that is shown nowhere',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  duration: 'a time: `30`, `250ms`, `2m`',
  texts: 'a list of texts',
  mapping: 'a mapping (key: value)',
  path: 'the path of a file, counted from the configuration',
  any: 'anything',
};

function kindTable(): string {
  return table(
    ['kind', 'holds'],
    Object.entries(meanings).map(([kind, meaning]) => line([code(kind), meaning])),
  );
}

function table(heads: readonly string[], rows: readonly string[]): string {
  return [line(heads), line(heads.map(() => '---')), ...rows].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
