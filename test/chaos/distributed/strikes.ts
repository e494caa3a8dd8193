/** What may be killed where calls leave through a broker. */
export const targets = ['engine', 'bridge', 'kafka', 'postgres'] as const;
export type Target = (typeof targets)[number];

/** One of several processes of a kind; there is one Kafka and one Postgres. */
export type Victim = { readonly target: Target; readonly index: number };

/** Processes that are killed at the same moment. */
export type Strike = {
  readonly victims: readonly Victim[];
  /** It falls while those of the strike before are still coming back. */
  readonly onTop: boolean;
};

export type Plan = {
  readonly targets: readonly Target[];
  readonly kills: number;
  readonly engines: number;
  readonly bridges: number;
};

/** So many of a kind's kills are strikes that hit all engines and all bridges. */
const AT_ONCE = 0.5;
const ON_TOP = 0.25;

/** Every target gets its share of the kills; the order, and who of several is hit, is left to chance. */
export function strikesOf(plan: Plan, random: () => number): Strike[] {
  const left = shares(plan);
  const strikes: (readonly Victim[])[] = [];
  const one = (target: Target, index: number): Victim => {
    left.set(target, (left.get(target) ?? 0) - 1);
    return { target, index };
  };
  const { engines, bridges } = plan;
  const rounds = roundsOf(plan, left);
  for (let round = 0; round < rounds; round++) {
    const victims = [
      ...Array.from({ length: engines }, (_, index) => one('engine', index)),
      ...Array.from({ length: bridges }, (_, index) => one('bridge', index)),
    ];
    // As when the power of the whole house fails.
    const services = (['kafka', 'postgres'] as const).filter((name) => (left.get(name) ?? 0) > 1);
    strikes.push(round % 2 === 0 ? victims : [...victims, ...services.map((name) => one(name, 0))]);
  }
  for (const [target, count] of left)
    for (let kill = 0; kill < count; kill++)
      strikes.push([{ target, index: Math.floor(random() * numberOf(target, plan)) }]);
  return shuffled(strikes, random).map((victims, index) => ({
    victims,
    onTop: index > 0 && random() < ON_TOP,
  }));
}

function shares({ targets, kills }: Plan): Map<Target, number> {
  const each = Math.floor(kills / targets.length);
  const more = kills % targets.length;
  return new Map(targets.map((target, index) => [target, index < more ? each + 1 : each]));
}

/** None where only one of the two is to be killed. */
function roundsOf({ engines, bridges }: Plan, left: ReadonlyMap<Target, number>): number {
  const share = (target: Target, number: number) =>
    Math.floor(((left.get(target) ?? 0) * AT_ONCE) / Math.max(1, number));
  return Math.min(share('engine', engines), share('bridge', bridges));
}

function numberOf(target: Target, { engines, bridges }: Plan): number {
  if (target === 'engine') return engines;
  return target === 'bridge' ? bridges : 1;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
