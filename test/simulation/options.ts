import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export type Options = {
  readonly seeds: number;
  readonly from: number;
  readonly json: boolean;
  /** Print everything that happens. */
  readonly trace: boolean;
  /** Stop at the first violation. */
  readonly first: boolean;
  readonly workers: number;
  /** How much of a failing seed's trace is shown. */
  readonly lines: number;
};

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
      first: { type: 'boolean', default: false },
      workers: { type: 'string', default: String(availableParallelism()) },
      lines: { type: 'string', default: '60' },
    },
  });
  const number = (name: 'seeds' | 'from' | 'workers' | 'lines') => {
    const value = Number(values[name]);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new Error(`--${name} takes a whole number, not ${values[name]}`);
  };
  const { json, trace, first } = values;
  return {
    json,
    trace,
    first,
    seeds: number('seeds'),
    from: number('from'),
    workers: Math.max(1, number('workers')),
    lines: number('lines'),
  };
}
