import { describe, expect, it } from 'vitest';
import { policies } from '../src/core/pool/select.ts';
import { SimulatedPool } from './simulated-pool.ts';

const size = { providers: 200, rate: 500, seconds: 3, seed: 1 };
const total = size.rate * size.seconds;

describe('a pool in virtual time', () => {
  it.each(policies)('loses no task, and leaves those that hang in peace: %s', async (policy) => {
    const pool = new SimulatedPool(policy, size);
    await pool.run(size);
    expect([pool.latencies.length, pool.failed]).toEqual([total, 0]);
    const hung = pool.callsOf(({ health }) => health === 'hung');
    expect(Math.max(...hung)).toBeLessThan(15);
  });

  it.each(policies)(
    'keeps to its zone, its first tier, its rates and what each user may: %s',
    async (policy) => {
      const pool = new SimulatedPool(policy, size, 'mixed');
      await pool.run(size);
      expect(pool.latencies.length + pool.failed).toBe(total);
      const elsewhere = pool.callsOf(({ group }) => group !== 'near').reduce((sum, calls) => sum + calls, 0);
      expect(elsewhere / total).toBeLessThan(0.01);
      expect(pool.most_in_a_second).toBeLessThanOrEqual(10);
      expect(pool.most_of_user).toBeLessThanOrEqual(2);
    },
  );
});
