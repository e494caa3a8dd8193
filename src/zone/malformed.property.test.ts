import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEndpoint } from './execution/endpoint.ts';
import { noise } from './execution/noise.suite.ts';
import { isResponse } from './response.suite.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const RUNS = 10_000;

it('whatever bytes come, the answer is one response with an error of the contract', async () => {
  const broken = () => Promise.reject(new Error('at /somewhere/inside.ts:1:1'));
  const clock = { wall: () => 0, monotonic: () => 0 };
  const endpoint = createEndpoint({ execution: { execute: broken, result: broken }, logger: silent, clock });
  await fc.assert(
    fc.asyncProperty(noise, async (body) => {
      const text = await endpoint(body);
      expect(isResponse(text), text).toBe(true);
      expect(text).not.toContain('inside.ts');
    }),
    { numRuns: RUNS },
  );
});
