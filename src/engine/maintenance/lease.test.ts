import { describe, expect, it } from 'vitest';
import { writerScene } from '../testing/writer.suite.ts';
import { leaseLoop } from './lease.ts';

/** A beating engine called e1, of which the store has never heard. */
function setUp() {
  const scene = writerScene();
  const { time, writer } = scene;
  const state = { owner: 'e1', lost: 0 };
  const loop = leaseLoop({
    clock: time,
    timers: time,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    writer,
    owner: () => state.owner,
    ttl_ms: 3000,
    lost: () => {
      state.lost++;
    },
  });
  const beats = () => scene.commits.flatMap(({ writes }) => writes.filter(({ kind }) => kind === 'beat'));
  return { ...scene, mine: state, loop, beats };
}

describe('a lease', () => {
  it('is renewed three times while it lasts, in the name the engine has then', async () => {
    const { time, writer, loop, mine, beats } = setUp();
    await time.until(writer.write({ kind: 'join', owner: 'e1', ttl_ms: 3000 }));
    await time.until(writer.write({ kind: 'join', owner: 'e2', ttl_ms: 3000 }));
    loop.start();
    await time.advance(1500);
    mine.owner = 'e2';
    await time.advance(600);
    expect(beats()).toMatchObject([{ owner: 'e1', ttl_ms: 3000 }, { owner: 'e1' }, { owner: 'e2' }]);
    expect(mine.lost).toBe(0);
  });

  it('that others have ended is told as lost', async () => {
    const { time, loop, mine } = setUp();
    loop.start();
    await time.settle();
    expect(mine.lost).toBe(1);
  });

  it('that was given up meanwhile is not lost a second time', async () => {
    const { time, state, open, loop, mine } = setUp();
    state.gated = true;
    loop.start();
    await time.settle();
    mine.owner = 'e2';
    await open();
    expect(mine.lost).toBe(0);
  });
});
