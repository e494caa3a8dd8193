import type { ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { statusStyle } from '../output/paint.ts';
import { type Column, details, table, type View } from '../output/table.ts';
import { ago, until } from '../output/time.ts';
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

export function providerDrain(call: Invocation): Promise<void> {
  return changeProvider(call, 'provider.drain');
}

export function providerResume(call: Invocation): Promise<void> {
  return changeProvider(call, 'provider.resume');
}

function changeProvider(call: Invocation, method: 'provider.drain' | 'provider.resume'): Promise<void> {
  const [id = ''] = call.arguments;
  return withClient(call, async (client) => {
    const told = await client.call(method, { id });
    await call.io.emit(told, { table: (view) => stateText(told, view), names: [told.id] });
  });
}

function stateText({ id, state, in_flight }: ResultOf<'provider.drain'>, view: View): string {
  return details(
    [
      ['Provider', id],
      ['State', state, statusStyle(state)],
      ['In flight', String(in_flight)],
    ],
    view,
  );
}

/** Scripts go by the exit code: a provider that is not well is a failure. */
export function providerTest(call: Invocation): Promise<ExitName | undefined> {
  const [id = ''] = call.arguments;
  const method = call.flags.text('method');
  return withClient(call, async (client) => {
    const told = await client.call('provider.test', { id, ...(method === undefined ? {} : { method }) });
    await call.io.emit(told, { table: (view) => testText(told, view), names: told.well ? [] : [told.id] });
    return told.well ? undefined : 'failure';
  });
}

function testText({ id, well, asked, ms, error }: ResultOf<'provider.test'>, view: View): string {
  return details(
    [
      ['Provider', id],
      ['Answers', well ? 'yes' : 'no', well ? 'green' : 'red'],
      ['Asked', `${asked}, ${milliseconds(ms)}`],
      [
        well ? 'But' : 'Error',
        error === null ? null : `${error.message} (${error.error_code})`,
        well ? 'yellow' : 'red',
      ],
    ],
    view,
  );
}

function providerText(provider: Provider, view: View): string {
  const { last_error, latency } = provider;
  return details(
    [
      ['Provider', provider.id],
      ['Protocol', provider.protocol],
      ['State', provider.state, statusStyle(provider.state)],
      ['Since', `${provider.since} (${ago(provider.since, view.now)})`],
      ['Calls', callsText(provider)],
      ['Health', healthText(provider, view), 'yellow'],
      ['Breaker', breakerText(provider, view), 'yellow'],
      ['Limits', limitsText(provider)],
      ['Latency', `p50 ${milliseconds(latency.p50_ms)}, p95 ${milliseconds(latency.p95_ms)}`],
      ['Last error', last_error === null ? null : errorText(last_error, view), 'red'],
    ],
    view,
  );
}

function callsText({ calls, errors, in_flight, hedges }: Provider): string {
  const hedged = hedges === 0 ? '' : `, ${hedges} because another was slow`;
  return `${calls}, ${errors} with errors, ${in_flight} in flight${hedged}`;
}

/** Nothing where it answers when it is asked. */
function healthText({ health }: Provider, view: View): string | null {
  if (health === null || health.last_error === null) return null;
  const { misses, last_error, next_probe } = health;
  const missed = misses === 0 ? 'answers, but' : `no answer ${misses === 1 ? 'once' : `${misses} times`}`;
  return `${missed}: ${errorText(last_error, view)}, asked again ${until(next_probe, view.now)}`;
}

function errorText({ at, message, error_code }: NonNullable<Provider['last_error']>, view: View): string {
  return `${ago(at, view.now)}: ${message} (${error_code})`;
}

/** Nothing where every method may be called. */
function breakerText({ breakers, lacks, paused_until }: Provider, view: View): string | null {
  const open = breakers
    .filter(({ state }) => state !== 'closed')
    .map(({ method, state, next_probe }) =>
      next_probe === null
        ? `${method} ${state}`
        : `${method} ${state}, next try ${until(next_probe, view.now)}`,
    );
  const missing = lacks.length === 0 ? [] : [`does not have ${lacks.join(', ')}`];
  const paused = paused_until === null ? [] : [`left alone until ${paused_until}`];
  const all = [...open, ...missing, ...paused];
  return all.length === 0 ? null : all.join('; ');
}

function limitsText({ concurrency, rate }: Provider): string | null {
  const texts = [
    ...(concurrency === null ? [] : [`${concurrency.left} of ${concurrency.most} calls at once left`]),
    ...(rate === null ? [] : [`${rate.left} of ${rate.burst} now at ${rate.per_second}/s`]),
  ];
  return texts.length === 0 ? null : texts.join(', ');
}

function milliseconds(ms: number | null): string {
  return ms === null ? '-' : `${Math.round(ms * 10) / 10} ms`;
}
