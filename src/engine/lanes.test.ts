import { describe, expect, it } from 'vitest';
import type { Appetite } from '../core/pool/appetite.ts';
import type { ClaimedTask, ClaimRequest } from '../core/ports/store.ts';
import { foundBy, Lanes } from './lanes.ts';
import { Lines } from './lines.ts';

const free: Appetite = { room: Number.POSITIVE_INFINITY, line: 0 };
const all = () => Number.POSITIVE_INFINITY;

function lanesWith(appetites: Record<string, Appetite>) {
  const lanes = new Lanes({ appetite: (protocol) => appetites[protocol] ?? free });
  const claim = (limit = 100) => ({ owner: 'e', limit, ...lanes.claiming(['a', 'b'], limit, all) });
  /** What a claim brought of lane a, and what became of it. */
  const answer = (request: ClaimRequest, words: readonly ('go' | 'wait' | 'none')[]) => {
    lanes.answered(request);
    for (const _ of words) lanes.took('a');
    for (const word of words) lanes.routed('a', word);
  };
  return { lanes, claim, answer, appetites };
}

describe('lanes', () => {
  it('are claimed without bounds where there are no limits', () => {
    expect(lanesWith({}).claim()).toEqual({ owner: 'e', limit: 100, lanes: ['a', 'b'] });
    expect(new Lanes({}).claiming(['a'], 5, all)).toEqual({ lanes: ['a'] });
  });

  it('are claimed as far as it is of use, less what is on its way', () => {
    const { lanes, claim } = lanesWith({ a: { room: 2, line: 3 } });
    const first = claim();
    expect(first).toEqual({ owner: 'e', limit: 100, lanes: ['a', 'b'], most: new Map([['a', 5]]) });
    expect(claim().lanes).toEqual(['b']);
    lanes.answered(first);
    lanes.took('a');
    lanes.took('a');
    expect(claim().most).toEqual(new Map([['a', 3]]));
    lanes.routed('a', 'go');
    expect(claim().most).toEqual(new Map([['a', 1]]));
  });

  it('are bounded only where that is less than is asked for', () => {
    const { claim } = lanesWith({ a: { room: 2, line: 3 } });
    expect(claim(5)).toEqual({ owner: 'e', limit: 5, lanes: ['a', 'b'] });
  });

  it('are claimed up to their share, whatever their appetite', () => {
    const lanes = new Lanes({ appetite: (protocol) => (protocol === 'a' ? { room: 9, line: 0 } : free) });
    const shares = new Map([
      ['a', 3],
      ['b', 0],
      ['c', 50],
    ]);
    const claiming = () => lanes.claiming([...shares.keys()], 20, (lane) => shares.get(lane) ?? 0);
    expect(claiming()).toEqual({ lanes: ['a', 'c'], most: new Map([['a', 3]]) });
    expect(claiming().most?.get('a')).toBe(3);
    expect(claiming().most?.get('a')).toBe(3);
    expect(claiming().lanes).toEqual(['c']);
  });

  it('are looked at more widely while there is room that nobody who came could use', () => {
    const { claim, answer, appetites } = lanesWith({ a: { room: 1, line: 0 } });
    const mosts = [1, 2, 3].map(() => {
      const request = claim();
      answer(request, ['wait']);
      return request.most?.get('a');
    });
    expect(mosts).toEqual([1, 9, 17]);
    appetites['a'] = { room: 0, line: 0 };
    expect(claim().lanes).toEqual(['b']);
    appetites['a'] = { room: 1, line: 0 };
    const request = claim();
    expect(request.most?.get('a')).toBe(1);
    answer(request, ['go']);
    expect(claim().most?.get('a')).toBe(1);
  });

  it('have room for those who come by a look at all lines, once', () => {
    const { lanes, claim, answer } = lanesWith({ a: { room: 0, line: 1 } });
    answer(claim(), ['wait']);
    lanes.expectFound();
    const request = claim();
    expect(request.most?.get('a')).toBe(9);
    answer(request, []);
    expect(claim().most?.get('a')).toBe(1);
  });
});

describe('a claim', () => {
  const claim = { owner: 'e', limit: 3, lanes: ['a', 'b'], most: new Map([['a', 1]]) };
  const of = (...lanes: string[]) => lanes.map((lane) => ({ task: { lane } }) as ClaimedTask);

  it('finds out where nothing is left', () => {
    expect(foundBy(claim, of('b'))).toEqual({ more: false, emptied: new Set(['a', 'b']) });
    expect(foundBy(claim, of('a', 'b'))).toEqual({ more: true, emptied: new Set(['b']) });
    expect(foundBy(claim, of('a', 'b', 'b'))).toEqual({ more: true, emptied: new Set() });
  });

  it('tells of those who were called from a line of such a lane, and went elsewhere', async () => {
    const lines = new Lines({
      writer: {
        write: (async (write: { line: string }) => ({ called: [write.line] })) as never,
      },
      clock: { monotonic: () => 0, wall: () => 0 },
    });
    const astray: string[] = [];
    const room = (lane: string) =>
      lines.room({ kind: 'rate', key: lane, fair: false, lane }, 1, () => astray.push(lane));
    await Promise.all([room('a'), room('b')]);
    lines.allClaimed(foundBy(claim, of('a', 'b')), () => false);
    expect(astray).toEqual(['b']);
    lines.allClaimed(foundBy(claim, of()), () => false);
    expect(astray).toEqual(['b', 'a']);
  });
});
