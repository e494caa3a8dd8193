/**
 * A pool of 1,000 providers in virtual time, some slow, some hung, some failing half the time: how load, errors and latency
 * spread under each policy, and what tiers, zones, rates and limits by key make of it. Every run prints the same.
 * `node bench/pool-simulation.ts [--providers 1000] [--rate 2000] [--seconds 10] [--seed 1]`
 */
import { parseArgs } from 'node:util';
import { type Policy, policies } from '../src/core/pool/select.ts';
import { type Health, SimulatedPool, type Size } from './simulated-pool.ts';

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function readSize(): Size {
  const { values } = parseArgs({
    options: {
      providers: { type: 'string', default: '1000' },
      rate: { type: 'string', default: '2000' },
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { providers, rate, seconds, seed } = values;
  const whole = (name: string, text: string, least: number) => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new RangeError(`--${name} must be a whole number from ${least} on, not ${text}`);
  };
  return {
    providers: whole('providers', providers, 1),
    rate: whole('rate', rate, 1),
    seconds: whole('seconds', seconds, 1),
    seed: whole('seed', seed, 0),
  };
}

async function row(policy: Policy, size: Size): Promise<string> {
  const simulation = new SimulatedPool(policy, size);
  await simulation.run(size);
  const { latencies, failed, late } = simulation;
  const callsOf = (health: Health) => simulation.callsOf((service) => service.health === health);
  const mean = (list: readonly number[]) =>
    list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);
  const well = callsOf('well');
  const cells = [
    policy,
    String(latencies.length),
    String(failed),
    `${((100 * late.failed) / Math.max(1, late.attempts)).toFixed(2)} %`,
    ...[0.5, 0.99, 1].map((share) => `${quantile(latencies, share).toFixed(0)} ms`),
    ...[0, 0.5, 1].map((share) => String(quantile(well, share))),
    ...(['slow', 'flaky', 'hung'] as const).map((health) => mean(callsOf(health)).toFixed(1)),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The same with tiers, zones, rates and users that may have two calls at once. */
async function mixedRow(policy: Policy, size: Size): Promise<string> {
  const simulation = new SimulatedPool(policy, size, 'mixed');
  await simulation.run(size);
  const { latencies, failed, most_in_a_second, most_of_user } = simulation;
  const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0);
  const all = sum(simulation.callsOf(() => true));
  const share = (group: string) =>
    `${((100 * sum(simulation.callsOf((service) => service.group === group))) / all).toFixed(1)} %`;
  const cells = [
    ...[policy, String(latencies.length), String(failed)],
    ...[0.5, 0.99, 1].map((part) => `${quantile(latencies, part).toFixed(0)} ms`),
    ...['near', 'far', 'reserve'].map(share),
    ...[String(most_in_a_second), String(most_of_user)],
  ];
  return `| ${cells.join(' | ')} |`;
}

function readOrExplain(): Size | null {
  try {
    return readSize();
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 2;
    return null;
  }
}

async function print(size: Size): Promise<void> {
  const head = ['policy', 'done', 'failed', 'attempts failed later', 'p50', 'p99', 'most'];
  const spread = [
    'least of a well one',
    'median',
    'most',
    'of a slow one',
    'of a flaky one',
    'of a hung one',
  ];
  console.log(`${size.providers} providers, ${size.rate} calls/s, ${size.seconds} s of virtual time\n`);
  table([...head, ...spread.map((text, index) => (index === 0 ? `calls: ${text}` : text))]);
  for (const policy of policies) console.log(await row(policy, size));
  console.log('\nTiers and zones; one of ten with 5 calls a second, 50 users with two calls at once\n');
  const groups = ['near', 'in another zone', 'in a later tier'];
  const limits = ['most in a second where 10 are allowed', 'most of a user at once'];
  table(['policy', 'done', 'failed', 'p50', 'p99', 'most', ...groups, ...limits]);
  for (const policy of policies) console.log(await mixedRow(policy, size));
}

function table(head: readonly string[]): void {
  console.log(`| ${head.join(' | ')} |`);
  console.log(`|${' --- |'.repeat(head.length)}`);
}

const size = readOrExplain();
if (size !== null) await print(size);
