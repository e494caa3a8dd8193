import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEndpoint } from './execution/endpoint.ts';
import { noise } from './execution/noise.suite.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const RUNS = 10_000;

/** What the specification calls a response, read from its text and from nothing of ours. */
function isResponse(text: string): boolean {
  const said: unknown = JSON.parse(text);
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return false;
  const { jsonrpc, id, error, ...rest } = said as Record<string, unknown>;
  if (jsonrpc !== '2.0' || (id !== null && typeof id !== 'string')) return false;
  if (Object.keys(rest).length > 0 || typeof error !== 'object' || error === null) return false;
  const { code, message } = error as Record<string, unknown>;
  return (
    Number.isInteger(code) && Number(code) <= -32000 && Number(code) >= -32768 && typeof message === 'string'
  );
}

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
