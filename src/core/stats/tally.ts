import type { Usage } from '../answer.ts';
import { isObject, type JsonObject, own } from '../json.ts';
import type { Cost } from './cost.ts';
import { countTime, type Histogram } from './histogram.ts';

/** What some calls came to. Tallies add up, those of several engines too. Written as it is into documents. */
export type Tally = {
  calls: number;
  /** Class of the error → how many. */
  readonly errors: Record<string, number>;
  /** Calls of attempts that were not the first of their task. */
  retries: number;
  /** Calls that were made because another provider had not answered. */
  hedges: number;
  input_tokens: number;
  output_tokens: number;
  /** Currency → how much. */
  readonly cost: Record<string, number>;
  readonly times: Histogram;
};

/** A call that has ended. */
export type CountedCall = {
  /** `done`, `again`, `outside`, `withdrawn`, or the class of the error. */
  readonly outcome: string;
  readonly ms: number;
  readonly attempt: number;
  readonly hedge: boolean;
  readonly usage: Usage | null;
  readonly cost: Cost | null;
};

export function emptyTally(): Tally {
  return {
    calls: 0,
    errors: {},
    retries: 0,
    hedges: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost: {},
    times: {},
  };
}

/** Ended by us, not by the service: no error of it, and nobody knows how long it would have taken. */
const ours = ['withdrawn', 'cancelled', 'store'];
const good = ['done', 'again', 'outside'];

/** Counts one more; the tally is changed. */
export function countCall(tally: Tally, { outcome, ms, attempt, hedge, usage, cost }: CountedCall): void {
  tally.calls++;
  if (hedge) tally.hedges++;
  else if (attempt > 1) tally.retries++;
  tally.input_tokens += usage?.input_tokens ?? 0;
  tally.output_tokens += usage?.output_tokens ?? 0;
  if (cost !== null) add(tally.cost, cost.currency, cost.amount);
  if (ours.includes(outcome)) return;
  countTime(tally.times, ms);
  if (!good.includes(outcome)) add(tally.errors, outcome, 1);
}

/** Adds the second to the first, which is changed. */
export function addTally(to: Tally, from: Tally): void {
  to.calls += from.calls;
  to.retries += from.retries;
  to.hedges += from.hedges;
  to.input_tokens += from.input_tokens;
  to.output_tokens += from.output_tokens;
  for (const kind of ['errors', 'cost', 'times'] as const)
    for (const [key, count] of Object.entries(from[kind])) add(to[kind], key, count);
}

function add(counts: Record<string, number>, key: string, count: number): void {
  const before = own(counts, key);
  counts[key] = (typeof before === 'number' ? before : 0) + count;
}

/** As it came out of a document; what is missing or is no number counts as nothing. */
export function readTally(value: unknown): Tally {
  const object: JsonObject = isObject(value) ? value : {};
  return {
    calls: numberIn(object, 'calls'),
    errors: numbersIn(object, 'errors'),
    retries: numberIn(object, 'retries'),
    hedges: numberIn(object, 'hedges'),
    input_tokens: numberIn(object, 'input_tokens'),
    output_tokens: numberIn(object, 'output_tokens'),
    cost: numbersIn(object, 'cost'),
    times: numbersIn(object, 'times'),
  };
}

function numberIn(object: JsonObject, key: string): number {
  const value = own(object, key);
  return typeof value === 'number' ? value : 0;
}

function numbersIn(object: JsonObject, key: string): Record<string, number> {
  const value = own(object, key);
  if (!isObject(value)) return {};
  const numbers: Record<string, number> = {};
  for (const [name, count] of Object.entries(value)) if (typeof count === 'number') numbers[name] = count;
  return numbers;
}
