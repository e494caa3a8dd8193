import type { ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { type Column, details, table, type View } from '../output/table.ts';
import { emitPages, pagingOf } from '../pages.ts';
import type { Invocation } from '../spec.ts';
import { agentText } from '../views/agent.ts';

type Agent = ResultOf<'agent.get'>;

export async function agentList(call: Invocation): Promise<void> {
  const protocol = call.flags.text('protocol');
  const paging = pagingOf(call.flags);
  await withClient(call, (client) =>
    emitPages(call, {
      what: 'agents',
      page: (at) => client.call('agent.list', { ...(protocol === undefined ? {} : { protocol }), ...at }),
      paging,
      table: (items: readonly Agent[], view) => table(items, columns, view),
      name: ({ name }) => name,
    }),
  );
}

const columns: readonly Column<Agent>[] = [
  { title: 'name', value: ({ name }) => name, whole: true },
  { title: 'protocol', value: ({ protocol }) => protocol },
  { title: 'url', value: ({ url }) => url },
  { title: 'implements', value: (agent) => agent.implements.join(', ') },
  { title: 'from', value: ({ source }) => source },
  { title: 'problem', value: ({ problem }) => problem ?? '', style: () => 'red' },
];

export function agentShow(call: Invocation): Promise<void> {
  const [name = ''] = call.arguments;
  return withClient(call, async (client) => {
    const told = await client.call('agent.get', { name });
    await call.io.emit(told, { table: (view) => agentText(told, view), names: [told.name] });
  });
}

export function agentPing(call: Invocation): Promise<ExitName | undefined> {
  const [name = ''] = call.arguments;
  return withClient(call, async (client) => {
    const told = await client.call('agent.ping', { name });
    await call.io.emit(told, { table: (view) => pingText(told, view), names: told.well ? [] : [told.name] });
    return told.well ? undefined : 'failure';
  });
}

function pingText({ name, well, asked, http_status, ms, error }: ResultOf<'agent.ping'>, view: View): string {
  return details(
    [
      ['Agent', name],
      ['Answers', well ? 'yes' : 'no', well ? 'green' : 'red'],
      ['Asked', `${asked}, ${Math.round(ms * 10) / 10} ms`],
      ['Status', http_status === null ? null : `HTTP ${http_status}`],
      ['Error', error, 'red'],
    ],
    view,
  );
}

/** With `--add` the entry that is proposed is registered under that name. */
export function agentDiscover(call: Invocation): Promise<void> {
  const [url = ''] = call.arguments;
  const name = call.flags.text('add');
  return withClient(call, async (client) => {
    const told = await client.call('agent.discover', { url });
    if (name !== undefined) await client.call('agent.create', { ...told.entry, name });
    await call.io.emit(told, { table: (view) => discoveredText(told, view), names: [told.entry.name] });
    if (call.io.format !== 'table') return;
    call.io.say(
      name === undefined
        ? `gleitzeit agent discover ${url} --add <name> registers it`
        : `registered; a task that says agent: ${name} goes to it`,
    );
  });
}

function discoveredText({ found, card_url, entry, skills }: ResultOf<'agent.discover'>, view: View): string {
  return details(
    [
      ['Card', found ? card_url : 'none; it may speak simple-a2a', found ? null : 'yellow'],
      ['Name', entry.name],
      ['Address', entry.url],
      ['Description', entry.description],
      ['Protocol', entry.protocol],
      ['Skills', skills.length === 0 ? null : skills.map(({ name }) => name).join(', ')],
    ],
    view,
  );
}
