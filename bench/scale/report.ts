import type { CostName, Inputs, Load, Setup } from './inputs.ts';
import { added, limit, type Station, type StationName, stationsOf } from './model.ts';
import { systemsFor, type Turned, turn } from './turn.ts';

/** What to turn, in the words of the configuration and of whoever runs the machines. */
const knobs: Readonly<Record<keyof Setup, string>> = {
  engines: 'engines (`gleitzeit serve`)',
  bridges: 'bridges (`gleitzeit bridge`)',
  partitions: 'partitions of the topic of tasks',
  window: '`dispatch.window`',
  concurrency: '`bridge.concurrency`',
  kafka_cores: 'cores of Kafka, in one broker or several',
  postgres_cores: 'cores of Postgres',
};

const parts: Readonly<Record<StationName, string>> = {
  engines: 'engines',
  window: 'calls that engines may have with the broker',
  bridges: 'bridges',
  places: 'calls that bridges make at the same time',
  kafka: 'Kafka',
  postgres: 'Postgres',
  feed: 'the numbering of events in one store',
};

/** A cost that is at most so high makes a part that can do at least so much. */
const bounds = { measured: '', unknown: '', at_most: 'at least ', at_least: 'at most ' };
const costOf: Partial<Record<StationName, CostName>> = {
  engines: 'engine_us',
  bridges: 'bridge_us',
  kafka: 'kafka_us',
  postgres: 'postgres_us',
  feed: 'feed_us',
};

const figure = (value: number) => Math.round(value).toLocaleString('en-US');

export function report(inputs: Inputs): string {
  return [
    ...costLines(inputs),
    ...inputs.load.times.flatMap((times) => ['', ...section(inputs, times)]),
    '',
  ].join('\n');
}

function costLines({ costs }: Inputs): string[] {
  const words = { measured: '', at_most: 'at most ', at_least: 'at least ', unknown: '' };
  return (Object.keys(costs) as CostName[]).map((name) => {
    const { value, is, better } = costs[name];
    const known = value === null ? 'not measured, and left out below' : `${words[is]}${value} µs`;
    return `${name}: ${known}${is === 'measured' ? '' : `; a better figure: ${better}`}`;
  });
}

function section(inputs: Inputs, times: number): string[] {
  const { costs, setup, load: one } = inputs;
  const load = { ...one, steps_per_second: one.steps_per_second * times };
  const systems = systemsFor(inputs, setup, load);
  const part = { ...load, steps_per_second: load.steps_per_second / systems };
  const turned = turn(inputs, setup, part);
  const after = stationsOf(costs, turned.setup, part);
  const most = added(costs, after).toFixed(1);
  return [
    `## ${times} ×: ${figure(load.steps_per_second)} steps/s, agents that take ${load.agent_ms} ms`,
    `As it stands: ${told(inputs, limit(stationsOf(costs, setup, load)))}.`,
    ...systemLines(inputs, systems, load),
    ...turnLines(turned),
    `The next limit then: ${told(inputs, limit(after))}${systems === 1 ? '' : ', in each'}.`,
    `Added to each step on average: ${most} ms, as far as costs are known.`,
  ];
}

/** What one store cannot do, however much is turned. */
function systemLines(inputs: Inputs, systems: number, load: Load): string[] {
  if (systems === 1) return [];
  const alone = turn(inputs, inputs.setup, load);
  const end = limit(stationsOf(inputs.costs, alone.setup, load));
  return [
    `- one store, whatever is turned: ${told(inputs, end)}. So ${systems} systems with a store and topics of their own, each with some of the workflows. In each:`,
  ];
}

function told({ costs }: Inputs, station: Station | undefined): string {
  if (station?.capacity == null) return 'nothing that is known';
  const cost = costOf[station.name];
  const bound = cost === undefined ? '' : bounds[costs[cost].is];
  return `${bound}${figure(station.capacity)} steps/s (${parts[station.name]})`;
}

function turnLines({ turns }: Turned): string[] {
  if (turns.length === 0) return ['Nothing has to be turned.'];
  return turns.map(({ knob, from, to }) => `- ${knobs[knob]}: ${figure(from)} → ${figure(to)}`);
}
