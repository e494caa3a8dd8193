import type { ParamsOf, ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { unknownProtocol } from '../connect-errors.ts';
import { type Column, table, type View } from '../output/table.ts';
import type { Invocation } from '../spec.ts';

type Stats = ResultOf<'protocol.stats'>;
type Item = Stats['items'][number];
type Figures = Item['total'];
type Row = Figures & { readonly name: string };
type StepRow = Row & { readonly protocol: string };

export function protocolStats(call: Invocation): Promise<void> {
  const [name] = call.arguments;
  const window = call.flags.text('window') === 'day' ? 'day' : 'hour';
  const params: ParamsOf<'protocol.stats'> = { window, ...(name === undefined ? {} : { name }) };
  return withClient(call, async (client) => {
    const told = await client.call('protocol.stats', params).catch(unknownProtocol);
    const names = told.items.map(({ protocol }) => protocol);
    const overTime = call.flags.is('over-time');
    if (names.length > 0 || call.io.format !== 'table')
      await call.io.emit(told, {
        table: (view) => statsText(told, view, { overTime, whole: name !== undefined }),
        names,
      });
    if (names.length === 0) call.io.say(`no calls in the last ${window}`);
  });
}

function statsText(
  { items, window }: Stats,
  view: View,
  { overTime, whole }: { overTime: boolean; whole: boolean },
): string {
  if (overTime)
    return table(
      items.flatMap((item) => stepsOf(item, window)),
      [...protocolOf(whole), ...columns('time')],
      view,
    );
  if (!whole) return table(items.map(rowOf), columns('protocol'), view);
  return items
    .flatMap((item) => [
      table([rowOf(item)], columns('protocol'), view),
      table(
        item.providers.map(({ provider, total }) => ({ name: provider, ...total })),
        columns('provider'),
        view,
      ),
      table(
        item.methods.map(({ method, total }) => ({ name: method, ...total })),
        columns('method'),
        view,
      ),
    ])
    .join('\n');
}

function rowOf({ protocol, total }: Item): Row {
  return { name: protocol, ...total };
}

function stepsOf({ protocol, steps }: Item, window: Stats['window']): readonly StepRow[] {
  return steps.map(({ at, ...figures }) => ({ protocol, name: timeOf(at, window), ...figures }));
}

/** Where only one was asked for it need not be told in every line. */
function protocolOf(whole: boolean): readonly Column<StepRow>[] {
  return whole ? [] : [{ title: 'protocol', value: ({ protocol }) => protocol, whole: true }];
}

/** The minute of an hour, or the hour of a day. */
function timeOf(at: string, window: Stats['window']): string {
  return window === 'hour' ? at.slice(11, 16) : at.slice(0, 13).replace('T', ' ');
}

const columns = (what: string): readonly Column<Row>[] => [
  { title: what, value: ({ name }) => name, whole: true },
  { title: 'calls', value: ({ calls }) => String(calls), align: 'right' },
  {
    title: 'errors',
    value: ({ errors }) => String(errors),
    align: 'right',
    style: ({ errors }) => (errors > 0 ? 'red' : null),
  },
  { title: 'p50', value: ({ latency }) => milliseconds(latency.p50_ms), align: 'right' },
  { title: 'p95', value: ({ latency }) => milliseconds(latency.p95_ms), align: 'right' },
  { title: 'p99', value: ({ latency }) => milliseconds(latency.p99_ms), align: 'right' },
  { title: 'retries', value: ({ retries }) => String(retries), align: 'right' },
  { title: 'hedges', value: ({ hedges }) => String(hedges), align: 'right' },
  { title: 'tokens in', value: ({ input_tokens }) => String(input_tokens), align: 'right' },
  { title: 'tokens out', value: ({ output_tokens }) => String(output_tokens), align: 'right' },
  { title: 'cost', value: costText, align: 'right' },
  { title: 'errors by class', value: errorsText },
];

function milliseconds(ms: number | null): string {
  return ms === null ? '-' : `${ms} ms`;
}

function costText({ cost }: Figures): string {
  const amounts = Object.entries(cost).map(
    ([currency, amount]) => `${Number(amount.toFixed(4))} ${currency}`,
  );
  return amounts.join(' + ') || '-';
}

function errorsText({ errors_by_class }: Figures): string {
  return Object.entries(errors_by_class)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
