import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommitAnswer, CommitRequest } from '../core/ports/store.ts';
import type { Write } from '../core/writes.ts';
import { commitOrBisect } from './bisect.ts';

class BadRecord extends Error {}
const isBad = (thrown: unknown) => thrown instanceof BadRecord;
const claim = { owner: 'e1', limit: 5, lanes: ['test'] };

const write = (key: string): Write => ({
  kind: 'put_document',
  collection: 'c',
  key,
  text: key,
  expect: null,
});
const keyOf = (found: Write) => ('key' in found ? found.key : '');

/** A store that holds nothing whose key starts with "bad", and breaks down when it is handed "down". */
function setUp() {
  const written: string[] = [];
  const claims: string[] = [];
  let attempts = 0;
  const attempt = async (request: CommitRequest): Promise<CommitAnswer> => {
    const keys = request.writes.map(keyOf);
    attempts++;
    if (keys.includes('down')) throw new Error('disk full');
    if (keys.some((key) => key.startsWith('bad'))) throw new BadRecord('invalid byte sequence');
    written.push(...keys);
    if (request.claim !== null) claims.push(written.join());
    return {
      now: attempts,
      verdicts: keys.map(() => ({ ok: true, answer: { version: 1 } })),
      claimed: [],
      lease_lost: request.claim !== null,
      settled: keys.map((key) => ({ task_id: key, workflow_id: null, status: 'completed' })),
      settledRuns: keys.map((key) => ({ workflow_id: key, status: 'completed' })),
      revoked: keys.map((key) => ({ task_id: key, owner: 'e' })),
    };
  };
  const commit = (keys: readonly string[], asked: CommitRequest['claim'] = claim) =>
    commitOrBisect({ writes: keys.map(write), claim: asked }, attempt, isBad);
  return { written, claims, commit, attempts: () => attempts };
}

describe('a batch', () => {
  it('that is fine goes in one piece', async () => {
    const { commit, attempts } = setUp();
    const answer = await commit(['a', 'b', 'c']);
    expect(attempts()).toBe(1);
    expect(answer.verdicts.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it('with one bad record has that one refused, and says why', async () => {
    const { commit, written } = setUp();
    const answer = await commit(['a', 'b', 'bad', 'c', 'd']);
    expect(written).toEqual(['a', 'b', 'c', 'd']);
    expect(answer.verdicts.map(({ ok }) => ok)).toEqual([true, true, false, true, true]);
    expect(answer.verdicts[2]).toMatchObject({
      error: { data: { error_code: 'GLZ3009', reason: 'invalid byte sequence' } },
    });
  });

  it('finds a bad record among thousands in few attempts', async () => {
    const { commit, attempts } = setUp();
    const keys = Array.from({ length: 2048 }, (_, index) => (index === 777 ? 'bad' : `k${index}`));
    const answer = await commit(keys);
    expect(answer.verdicts.findIndex(({ ok }) => !ok)).toBe(777);
    expect(attempts()).toBeLessThan(30);
  });

  it('tells all that its parts told, and the clock of the last', async () => {
    const { commit, attempts } = setUp();
    const answer = await commit(['a', 'bad', 'b']);
    expect(answer.settled.map(({ task_id }) => task_id)).toEqual(['a', 'b']);
    expect(answer.settledRuns.map(({ workflow_id }) => workflow_id)).toEqual(['a', 'b']);
    expect(answer.revoked.map(({ task_id }) => task_id)).toEqual(['a', 'b']);
    expect(answer.now).toBe(attempts());
    expect(answer.lease_lost).toBe(true);
  });

  it.each([[['bad']], [['a', 'bad']], [['bad', 'a']], [['bad', 'bad2']]])(
    'claims once, after all that could be written: %j',
    async (keys) => {
      const { commit, claims, written } = setUp();
      await commit(keys);
      expect(claims).toEqual([written.join()]);
    },
  );

  it('that asked for no claim makes none', async () => {
    const { commit, claims } = setUp();
    expect((await commit(['a', 'bad'], null)).lease_lost).toBe(false);
    expect(claims).toEqual([]);
  });

  it('fails whole when the store is in trouble', async () => {
    const { commit, written } = setUp();
    await expect(commit(['a', 'down', 'b'])).rejects.toThrow('disk full');
    expect(written).toEqual([]);
  });

  it('fails when trouble comes while it is being halved', async () => {
    const { commit } = setUp();
    await expect(commit(['bad', 'a', 'b', 'down'])).rejects.toThrow('disk full');
  });

  it('of nothing that is refused is trouble with the store, not with a record', async () => {
    const attempt = () => Promise.reject(new BadRecord('odd'));
    await expect(commitOrBisect({ writes: [], claim }, attempt, isBad)).rejects.toThrow('odd');
  });

  it('writes all good records in order and refuses exactly the bad ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (goods) => {
        const { commit, written, claims } = setUp();
        const keys = goods.map((good, index) => `${good ? 'k' : 'bad'}${index}`);
        const answer = await commit(keys);
        expect(answer.verdicts.map(({ ok }) => ok)).toEqual(goods);
        expect(written).toEqual(keys.filter((key) => key.startsWith('k')));
        expect(claims).toEqual([written.join()]);
      }),
    );
  });
});
