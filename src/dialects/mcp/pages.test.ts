import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { allPages } from './pages.ts';

function serving(page: (cursor: unknown, asked: number) => JsonObject) {
  let asked = 0;
  const ask = async ({ cursor }: JsonObject) => page(cursor, ++asked);
  return { ask, asked: () => asked };
}

describe('a list in pages', () => {
  it('is one list, with what the last page says besides', async () => {
    const { ask } = serving((_, n) => ({ tools: [n], ttlMs: n, ...(n < 3 ? { nextCursor: `${n}` } : {}) }));
    expect(await allPages('tools', {}, ask)).toEqual({ tools: [1, 2, 3], ttlMs: 3 });
  });

  it('ends where it leads in a circle', async () => {
    const same = serving((_, n) => ({ tools: [n], nextCursor: 'same' }));
    expect(await allPages('tools', {}, same.ask)).toEqual({ tools: [1, 2] });
    const circle = serving((_, n) => ({ tools: [n], nextCursor: ['a', 'b', ''][n % 3] ?? '' }));
    expect(await allPages('tools', {}, circle.ask)).toEqual({ tools: [1, 2, 3, 4] });
  });

  it('is refused where it is no list, has no end, or is too large', async () => {
    const none = serving(() => ({ prompts: [] }));
    await expect(allPages('tools', {}, none.ask)).rejects.toThrow('no list "tools"');
    const endless = serving((_, n) => ({ tools: [], nextCursor: `${n}` }));
    await expect(allPages('tools', {}, endless.ask)).rejects.toThrow('more than 1000 pages');
    const huge = serving((_, n) => ({ tools: ['x'.repeat(1024 * 1024)], nextCursor: `${n}` }));
    await expect(allPages('tools', {}, huge.ask)).rejects.toThrow('characters of JSON');
    expect(huge.asked()).toBe(8);
  });
});
