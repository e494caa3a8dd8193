export type Step = {
  readonly name: string;
  /** The program and its arguments; a program is looked up in node_modules/.bin first. */
  readonly command: readonly [string, ...string[]];
  /** How its tests are counted: from vitest's report, or as one test that its exit status decides. */
  readonly counts: 'vitest' | 'one';
  /** The few test files that failed run once more, alone: for tests that share the machine with services. */
  readonly secondRun?: boolean;
};

const vitest = (name: string, ...args: string[]): Step => ({
  name,
  command: ['vitest', 'run', ...args],
  counts: 'vitest',
});
const one = (name: string, ...command: [string, ...string[]]): Step => ({ name, command, counts: 'one' });

/** Quick and without any service: what a contributor runs before each commit. */
const check: readonly Step[] = [
  one('format and lint', 'biome', 'check', '--error-on-warnings', '.'),
  one('types', 'tsc', '-p', 'tsconfig.json', '--noEmit'),
  vitest('house, unit tests, coverage of core', '--project', 'unit', '--coverage'),
];

const integration: Step = {
  ...vitest('integration on real services', '--project', 'integration'),
  secondRun: true,
};

const acceptance = one('acceptance criteria without their code', 'node', 'scripts/mutate-acceptance.ts');

type Kills = {
  readonly target: string;
  readonly store: string;
  readonly kills: number;
  /** Where calls leave through a broker. */
  readonly tasks?: number;
};
type Lengths = { readonly seeds: number; readonly calls: number; readonly kills: readonly Kills[] };

/** What is as good as its length: `test` runs enough to notice a broken house, `full` what a release rests on. */
const lengths: Readonly<Record<'test' | 'full', Lengths>> = {
  test: {
    seeds: 300,
    calls: 20_000,
    kills: [
      { target: 'engine', store: 'sqlite', kills: 5 },
      { target: 'server', store: 'sqlite', kills: 3 },
      // Engines on Postgres are among them.
      { target: 'engine,bridge,kafka,postgres', store: 'postgres', kills: 4, tasks: 500 },
    ],
  },
  full: {
    seeds: 10_000,
    calls: 100_000,
    kills: [
      { target: 'engine', store: 'sqlite', kills: 100 },
      { target: 'engine', store: 'postgres', kills: 100 },
      { target: 'server', store: 'sqlite', kills: 100 },
      { target: 'server', store: 'postgres', kills: 100 },
      { target: 'engine,bridge,kafka,postgres', store: 'postgres', kills: 60, tasks: 20_000 },
    ],
  },
};

function trials({ seeds, calls, kills }: Lengths): readonly Step[] {
  return [
    one(`${seeds} simulated worlds`, 'node', 'test/simulation/run.ts', '--seeds', String(seeds)),
    one(
      `what is held after ${calls} calls`,
      'node',
      '--expose-gc',
      'test/leftovers/memory.ts',
      '--calls',
      String(calls),
    ),
    ...kills.map(({ target, store, kills, tasks }) => {
      const length = tasks === undefined ? [] : ['--tasks', String(tasks)];
      const flags = ['--target', target, '--store', store, '--kills', String(kills), ...length];
      const of = tasks === undefined ? `${target}s on ${store}` : `${target} during ${tasks} tasks`;
      return one(`${kills} kills of ${of}`, 'node', 'test/chaos/run.ts', ...flags);
    }),
  ];
}

/** At most 25 minutes on two cores; `full` runs the same things at full length. */
export const plans: Readonly<Record<string, readonly Step[]>> = {
  check,
  test: [...check, integration, ...trials(lengths.test)],
  full: [
    ...check,
    integration,
    acceptance,
    ...trials(lengths.full),
    one('mutants of core', 'node', 'scripts/mutate.ts'),
  ],
};
