import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';

const LARGEST = 15 * 1024;

describe('the client as a browser loads it', () => {
  it('is small, and needs nothing else', async () => {
    const { code, imports } = await bundle(new URL('../../src/sdk/index.ts', import.meta.url));
    const gzipped = gzipSync(code, { level: 9 }).length;
    console.log(`gleitzeit/sdk: ${code.length} bytes, ${gzipped} gzipped`);
    expect(gzipped).toBeLessThanOrEqual(LARGEST);
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/\b(?:process|Buffer|require)\b|node:/);
  });
});
