type Lot<One> = {
  readonly weighs: (one: One) => number;
  /** Chance, in [0, 1). */
  readonly draw: () => number;
};

/** One of them, each as often as it weighs. */
export function byLot<One>(some: readonly One[], { weighs, draw }: Lot<One>): One {
  let left = draw() * some.reduce((sum, one) => sum + weighs(one), 0);
  return some.reduce((chosen, next) => {
    if (left < weighs(chosen)) return chosen;
    left -= weighs(chosen);
    return next;
  });
}
