export type Step = {
  readonly name: string;
  /** The program and its arguments; a program is looked up in node_modules/.bin first. */
  readonly command: readonly [string, ...string[]];
  /** How its tests are counted: from vitest's report, or as one test that its exit status decides. */
  readonly counts: 'vitest' | 'one';
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

const integration = vitest('integration on real services', '--project', 'integration');

/** At most 20 minutes on two cores; `full` runs the same things at full length. */
export const plans: Readonly<Record<string, readonly Step[]>> = {
  check,
  test: [...check, integration],
  full: [...check, integration],
};
