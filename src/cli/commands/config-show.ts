import { HIDDEN } from '../../config/secret.ts';
import { type ConfigRow, describeConfig } from '../../config.ts';
import { shownUrl } from '../addresses.ts';
import { jsonText } from '../output/json-text.ts';
import { type Column, table } from '../output/table.ts';
import { loadSettings } from '../settings.ts';
import type { Invocation } from '../spec.ts';

/** Every value of the configuration and where it came from, without secrets. */
export async function configShow(call: Invocation): Promise<void> {
  const { io, env } = call;
  const config = await loadSettings(call);
  const [beginning = ''] = call.arguments;
  const rows = [...ownRows(call, config.file), ...describeConfig(config)];
  const items = rows.filter(({ path }) => path.startsWith(beginning));
  const names = items.map(({ path }) => path);
  if (items.length > 0 || io.format !== 'table')
    await io.emit({ items }, { table: (view) => table(items, columns, view), names });
  else io.say(`nothing begins with "${beginning}"`);
  for (const warning of config.warnings) io.say(warning);
  if (env['DATABASE_URL'] !== undefined)
    io.say('DATABASE_URL is read by gleitzeit serve and gleitzeit db only');
}

const columns: readonly Column<ConfigRow>[] = [
  { title: 'key', value: ({ path }) => path },
  { title: 'value', value: ({ value }) => jsonText(value) },
  {
    title: 'source',
    value: ({ source }) => source,
    style: ({ source }) => (source === 'default' ? 'dim' : null),
  },
];

/** What flags and variables say to the command line itself. */
function ownRows({ flags, env }: Invocation, file: string | null): ConfigRow[] {
  const sourceOf = (name: string, variable: string) => {
    const said = env[variable] ?? '';
    return said !== '' && said === flags.text(name) ? `env ${variable}` : `flag --${name}`;
  };
  const row = (path: string, value: string | undefined, source: string): ConfigRow[] =>
    value === undefined ? [] : [{ path, value, source }];
  const named = flags.text('config') !== undefined;
  const server = flags.text('server');
  return [
    ...row('file', file ?? undefined, named ? sourceOf('config', 'GLEITZEIT_CONFIG') : 'found'),
    ...row(
      'client.server',
      server === undefined ? undefined : shownUrl(server),
      sourceOf('server', 'GLEITZEIT_SERVER_URL'),
    ),
    ...row('client.key_file', flags.text('key-file'), sourceOf('key-file', 'GLEITZEIT_KEY_FILE')),
    ...row('client.key', (env['GLEITZEIT_KEY'] ?? '') === '' ? undefined : HIDDEN, 'env GLEITZEIT_KEY'),
    ...row('client.timeout', flags.text('timeout'), sourceOf('timeout', 'GLEITZEIT_TIMEOUT')),
  ];
}
