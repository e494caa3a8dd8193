import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { framesOf } from './frames.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function framesIn(body: AsyncIterable<Uint8Array>): Promise<JsonObject[]> {
  const frames: JsonObject[] = [];
  for await (const frame of framesOf(body, 'lines')) frames.push(frame);
  return frames;
}

it.each([1, 2, 3, 7, 1000])('lines are the same in pieces of %i bytes', async (size) => {
  const text = '{"a":"ä€😀"}\n\n  \r\n{"b":2}\r\n{"c":3}';
  expect(await framesIn(inPieces(text, size))).toEqual([{ a: 'ä€😀' }, { b: 2 }, { c: 3 }]);
});

it('a line in very many pieces costs no more than its length', async () => {
  const from = performance.now();
  const long = 'x'.repeat(500_000);
  expect(await framesIn(inPieces(`{"a":"${long}"}\n`, 1))).toEqual([{ a: long }]);
  // Looking through all of it again with every piece takes far longer than this.
  expect(performance.now() - from).toBeLessThan(5000);
});
