import { Dice } from './dice.ts';
import { protocols } from './planned.ts';

/** How calls leave, where they do: through a broker, to bridges that make them. Times in milliseconds, chances each time it could happen. */
export type BridgeWeather = {
  /** Those whose calls leave; the others are made by the engines. */
  readonly protocols: readonly string[];
  readonly bridges: number;
  /** How long a call may wait at the broker, and run beyond its own timeout, before it is given up. */
  readonly wait_ms: number;
  readonly broker_ms: number;
  /** A message is delivered once more, long after the others, or after those that came later. */
  readonly repeated: number;
  readonly late: number;
  readonly late_ms: number;
  readonly news_lost: number;
  /** The broker has it, but whoever published it does not hear so. */
  readonly unheard: number;
  /** A bridge dies between publishing a result and saying so. */
  readonly dies_after: number;
  /** How often in all. */
  readonly deaths: number;
  readonly outages: number;
};

/** By draws of its own: worlds without bridges are what they would be anyway. */
export function bridgeWeatherOf(seed: number, fair: boolean): BridgeWeather | null {
  const dice = new Dice(seed, 'bridges');
  if (!dice.chance(0.3)) return null;
  const sometimes = (probability: number) => (fair || dice.chance(0.4) ? 0 : probability);
  const some = protocols.filter(() => dice.chance(0.7));
  return {
    protocols: some.length === 0 ? protocols : some,
    bridges: dice.whole(1, 3),
    wait_ms: fair ? 60_000 : dice.pick([400, 2000, 8000]),
    broker_ms: dice.pick([0.5, 3, 20]),
    repeated: sometimes(dice.pick([0.05, 0.3])),
    late: sometimes(dice.pick([0.03, 0.15])),
    late_ms: dice.pick([300, 3000, 12_000]),
    news_lost: sometimes(dice.pick([0.1, 0.6, 1])),
    unheard: sometimes(0.08),
    dies_after: sometimes(0.05),
    deaths: fair || dice.chance(0.4) ? 0 : dice.whole(1, 4),
    outages: fair || dice.chance(0.6) ? 0 : dice.whole(1, 2),
  };
}
