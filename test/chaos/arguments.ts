import { parseArgs } from 'node:util';

export type ChaosOptions = {
  /** What is killed: engines inside a program, or servers with work coming in over HTTP. */
  readonly target: 'engine' | 'server';
  readonly kills: number;
  readonly store: 'sqlite' | 'postgres';
  /** Processes on the store, each with its engine. */
  readonly engines: number;
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
      store: text('sqlite'),
      engines: text(''),
      seconds: text('0'),
      seed: text(String(Date.now() % 1_000_000)),
      json: { type: 'boolean', default: false },
    },
  });
  const { store, target } = values;
  if (target !== 'engine' && target !== 'server')
    throw new Error(`--target must be engine or server, not ${target}`);
  if (store !== 'sqlite' && store !== 'postgres')
    throw new Error(`--store must be sqlite or postgres, not ${store}`);
  const engines = values.engines === '' ? (store === 'sqlite' ? 1 : 2) : count('engines', values.engines);
  if (store === 'sqlite' && engines !== 1)
    throw new Error('SQLite has one engine: --engines 1, or --store postgres');
  return {
    target,
    store,
    engines,
    kills: count('kills', values.kills),
    seconds: count('seconds', values.seconds),
    seed: count('seed', values.seed),
    json: values.json,
  };
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
