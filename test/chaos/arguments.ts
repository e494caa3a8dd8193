import { parseArgs } from 'node:util';
import { targets as distributedTargets, type Target } from './distributed/strikes.ts';

export type ChaosOptions = {
  /**
   * What is killed: engines inside a program, servers with work coming in over HTTP, or any of what there is where calls
   * leave through a broker.
   */
  readonly target: 'engine' | 'server' | 'distributed';
  /** Of the last. */
  readonly targets: readonly Target[];
  readonly kills: number;
  readonly store: 'sqlite' | 'postgres';
  /** Processes on the store, each with its engine. */
  readonly engines: number;
  readonly bridges: number;
  /** At least so many tasks, however quickly the kills are done; where calls leave through a broker. */
  readonly tasks: number;
  /** At least this long, however quickly the kills are done. */
  readonly seconds: number;
  readonly seed: number;
  readonly json: boolean;
};

export function readArguments(args: readonly string[]): ChaosOptions {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      target: text('engine'),
      kills: text('100'),
      store: text(''),
      engines: text(''),
      bridges: text('2'),
      tasks: text('20000'),
      seconds: text('0'),
      seed: text(String(Date.now() % 1_000_000)),
      json: { type: 'boolean', default: false },
    },
  });
  const { target, targets } = readTarget(values.target);
  const store = readStore(values.store, target);
  const engines = values.engines === '' ? (store === 'sqlite' ? 1 : 2) : count('engines', values.engines);
  if (store === 'sqlite' && engines !== 1)
    throw new Error('SQLite has one engine: --engines 1, or --store postgres');
  return {
    target,
    targets,
    store,
    engines,
    bridges: count('bridges', values.bridges),
    tasks: count('tasks', values.tasks),
    kills: count('kills', values.kills),
    seconds: count('seconds', values.seconds),
    seed: count('seed', values.seed),
    json: values.json,
  };
}

function readTarget(text: string): Pick<ChaosOptions, 'target' | 'targets'> {
  if (text === 'engine' || text === 'server') return { target: text, targets: [] };
  const names = text.split(',');
  const known = distributedTargets.filter((target) => names.includes(target));
  if (known.length === names.length) return { target: 'distributed', targets: known };
  throw new Error(`--target must be engine, server, or some of ${distributedTargets.join(',')}, not ${text}`);
}

function readStore(text: string, target: ChaosOptions['target']): ChaosOptions['store'] {
  const store = text === '' ? (target === 'distributed' ? 'postgres' : 'sqlite') : text;
  if (store !== 'sqlite' && store !== 'postgres')
    throw new Error(`--store must be sqlite or postgres, not ${store}`);
  if (store === 'sqlite' && target === 'distributed')
    throw new Error('engines beside bridges share a store: --store postgres');
  return store;
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Error(`--${name} must be a whole number, not ${text}`);
}

/** Small and good enough to choose moments by; the same seed chooses the same ones. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
