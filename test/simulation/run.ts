import { type Options, readOptions } from './options.ts';
import { runAll } from './pool.ts';
import type { Report } from './worker.ts';

const SHOWN = 3;
const EVERY_MS = 5000;

const options = readOptions(process.argv.slice(2));
const begun = performance.now();
const total = { seeds: 0, steps: 0, crashes: 0 };
const failing: number[] = [];
const points = new Map<string, number>();
let toldAt = begun;

await (options.trace ? traceAll(options) : runAll(options, count));
failing.sort((a, b) => a - b);
if (!options.trace && options.lines > 0) for (const seed of failing.slice(0, SHOWN)) await show(seed);
const seconds = Number(((performance.now() - begun) / 1000).toFixed(1));
const crashed = [...points].map(([point, times]) => `${point} ${times}`).join(', ');
console.error(`${total.seeds} seeds in ${seconds} s; crashes at ${crashed || 'no port'}`);
console.log(summary());
process.exitCode = failing.length === 0 ? 0 : 1;

function count(report: Report): void {
  total.seeds += report.seeds;
  total.steps += report.steps;
  total.crashes += report.crashes;
  failing.push(...report.failing);
  for (const [point, times] of report.crashPoints) points.set(point, (points.get(point) ?? 0) + times);
  if (performance.now() - toldAt < EVERY_MS) return;
  toldAt = performance.now();
  console.error(`${total.seeds} of ${options.seeds} seeds, ${failing.length} failing`);
}

/** Seed after seed in this thread, with everything that happens. */
async function traceAll({ from, seeds }: Options): Promise<void> {
  const { simulate } = await import('./world/world.ts');
  for (let seed = from; seed < from + seeds; seed++) {
    const { lines, violations, steps, crashes, crashPoints } = await simulate(seed, { trace: true });
    for (const line of lines) console.log(line);
    count({
      seeds: 1,
      steps,
      crashes,
      failing: violations.length > 0 ? [seed] : [],
      crashPoints: [...crashPoints],
    });
  }
}

async function show(seed: number): Promise<void> {
  const { simulate } = await import('./world/world.ts');
  const { lines, violations } = await simulate(seed, { trace: true });
  console.log(`\nseed ${seed}: ${violations.length === 0 ? 'did not fail again' : ''}`);
  for (const { invariant, detail } of violations.slice(0, SHOWN)) console.log(`  ${invariant}: ${detail}`);
  for (const line of lines.slice(-options.lines)) console.log(`    ${line.slice(0, 300)}`);
  console.log(`  replay: npm run simulate -- --from ${seed} --seeds 1 --trace`);
}

function summary(): string {
  const first_failing_seed = failing[0] ?? null;
  const figures = { ...total, violations: failing.length, first_failing_seed, seconds };
  if (options.json) return JSON.stringify(figures);
  return failing.length === 0
    ? `No violation in ${total.seeds} seeds (${total.steps} steps, ${total.crashes} crashes).`
    : `${failing.length} of ${total.seeds} seeds broke an invariant; the first is ${first_failing_seed}.`;
}
