import { describe, expect, it } from 'vitest';
import { emitPages, type Paging } from './pages.ts';
import { play, sampleSpec } from './play.suite.ts';

/** A list of so many, of which a page holds at most 1000. */
async function listed(count: number, ...argv: string[]) {
  const asked: Paging[] = [];
  const spec = sampleSpec({
    options: [],
    load: async () => async (call) => {
      const limit = Number(call.arguments[0]);
      await emitPages(call, {
        what: 'numbers',
        paging: { limit, cursor: undefined },
        page: async (paging) => {
          asked.push(paging);
          const from = Number(paging.cursor ?? 0);
          const to = Math.min(count, from + (paging.limit ?? 50));
          const items = Array.from({ length: to - from }, (_, at) => from + at);
          return { items, next_cursor: to < count ? String(to) : null };
        },
        table: (items) => items.map((item) => `${item}\n`).join(''),
        name: String,
      });
    },
    arguments: [{ name: 'limit', description: 'at most' }],
  });
  const { out, err } = await play(['sample', ...argv], { specs: [spec] });
  return { asked, err, lines: out.trimEnd().split('\n') };
}

describe('pages', () => {
  it('end where the limit does, over several of them', async () => {
    const { asked, lines, err } = await listed(5000, '2500');
    expect(asked.map(({ limit }) => limit)).toEqual([1000, 1000, 500]);
    expect(lines).toHaveLength(2500);
    expect(err).toContain('there are more: --cursor 2500, or --all');
  });

  it('end where there are no more', async () => {
    const { asked, lines, err } = await listed(1200, '2500', '-o', 'name');
    expect(asked.map(({ limit, cursor }) => [limit, cursor])).toEqual([
      [1000, undefined],
      [1000, '1000'],
    ]);
    expect(lines).toHaveLength(1200);
    expect(err).toBe('');
  });
});
