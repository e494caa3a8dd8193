import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { defaultBreaker } from '../core/pool/breaker.ts';
import { KeptOpenings } from './openings.ts';
import { failed, settingsOf, TestQueue } from './queue.suite.ts';

export const ill: Answer = failed('GLZ2001');
export const SECOND = 1000;

/** A store that is there for as many lives as are lived on it. */
export function world() {
  let kept: { text: string; version: number } | null = null;
  const seen = { away: false, writes: 0, warned: 0 };
  const state = {
    read: async () => {
      // One that tries for ever must fail rather than be waited for.
      if (seen.away && seen.warned < 100) throw new GleitzeitError('GLZ3001', 'away');
      return kept;
    },
    write: async (_: string, text: string, expect: number) => {
      if ((kept?.version ?? 0) !== expect) throw new GleitzeitError('GLZ1013', 'another version');
      seen.writes++;
      kept = { text, version: expect + 1 };
      return kept;
    },
  };
  const logger = { debug() {}, info() {}, warn: () => void seen.warned++, error() {} };
  let wall = 0;
  const openings: KeptOpenings[] = [];
  /** A process that starts so long after the first one did. */
  const life = async (at_ms = 0) => {
    wall = at_ms;
    const queue = new TestQueue(1, (time) => {
      time.wallJump = wall;
      const own = new KeptOpenings({ state, clock: time, logger });
      openings.push(own);
      return { openings: own };
    });
    await openings.at(-1)?.look();
    return queue;
  };
  return {
    seen,
    state,
    logger,
    life,
    text: () => kept?.text ?? '{}',
    keys: () => Object.keys(JSON.parse(kept?.text ?? '{}')),
  };
}

export const tasks = (count: number, name = 't') =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}${index}` }));
export const cooling = settingsOf({
  breaker: { ...defaultBreaker, cool_down_ms: 30 * SECOND, most_cool_down_ms: 60 * SECOND },
});

/** Fails as often as it has to until it is left in peace. */
export async function opened(queue: TestQueue, answer: () => Answer = () => ill): Promise<void> {
  queue.provider('one', () => ({ ms: 1, answer: answer() }), { settings: cooling });
  queue.submit(...tasks(5, 'first'));
  await queue.time.advance(2);
}

export const stateOf = (queue: TestQueue) => queue.pools.status('one')?.breakers.map(({ state }) => state);
