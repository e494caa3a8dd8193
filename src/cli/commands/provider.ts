import type { ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { statusStyle } from '../output/paint.ts';
import { type Column, details, table, type View } from '../output/table.ts';
import { ago } from '../output/time.ts';
import type { Invocation } from '../spec.ts';

type Provider = ResultOf<'provider.status'>;

export function providerList(call: Invocation): Promise<void> {
  const protocol = call.flags.text('protocol');
  return withClient(call, async (client) => {
    const told = await client.call('provider.list', protocol === undefined ? {} : { protocol });
    const names = told.items.map(({ id }) => id);
    if (names.length > 0 || call.io.format !== 'table')
      await call.io.emit(told, { table: (view) => table(told.items, columns(view.now), view), names });
    if (names.length === 0)
      call.io.say('no providers; they are listed under protocols[].providers of the configuration');
  });
}

const columns = (now: number): readonly Column<Provider>[] => [
  { title: 'id', value: ({ id }) => id, whole: true },
  { title: 'protocol', value: ({ protocol }) => protocol },
  { title: 'state', value: ({ state }) => state, style: ({ state }) => statusStyle(state), whole: true },
  { title: 'calls', value: ({ calls }) => String(calls), align: 'right' },
  { title: 'errors', value: ({ errors }) => String(errors), align: 'right' },
  { title: 'in flight', value: ({ in_flight }) => String(in_flight), align: 'right' },
  { title: 'p50', value: ({ latency }) => milliseconds(latency.p50_ms), align: 'right' },
  { title: 'p95', value: ({ latency }) => milliseconds(latency.p95_ms), align: 'right' },
  {
    title: 'last error',
    value: ({ last_error }) =>
      last_error === null ? '' : `${ago(last_error.at, now)}: ${last_error.message}`,
  },
];

export function providerStatus(call: Invocation): Promise<void> {
  const [id = ''] = call.arguments;
  return withClient(call, async (client) => {
    const told = await client.call('provider.status', { id });
    await call.io.emit(told, { table: (view) => providerText(told, view), names: [told.id] });
  });
}

function providerText(provider: Provider, view: View): string {
  const { last_error, latency } = provider;
  return details(
    [
      ['Provider', provider.id],
      ['Protocol', provider.protocol],
      ['State', provider.state, statusStyle(provider.state)],
      ['Since', `${provider.since} (${ago(provider.since, view.now)})`],
      ['Calls', `${provider.calls}, ${provider.errors} with errors, ${provider.in_flight} in flight`],
      ['Latency', `p50 ${milliseconds(latency.p50_ms)}, p95 ${milliseconds(latency.p95_ms)}`],
      [
        'Last error',
        last_error === null
          ? null
          : `${ago(last_error.at, view.now)}: ${last_error.message} (${last_error.error_code})`,
        'red',
      ],
    ],
    view,
  );
}

function milliseconds(ms: number | null): string {
  return ms === null ? '-' : `${Math.round(ms * 10) / 10} ms`;
}
