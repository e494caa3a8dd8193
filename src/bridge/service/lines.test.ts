import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import {
  type Line,
  nobodyCame,
  type RoomListener,
  type RouteRequest,
  type Router,
} from '../../core/ports/router.ts';
import { systemTimers } from '../../embedded/system.ts';
import { Lines } from './lines.ts';

const line: Line = { kind: 'breaker', key: 'a', fair: false };
const request = { protocol: 'p/v1', method: 'm', params: {}, task_id: 't', workflow_id: null, avoid: [] };

/** Everybody waits, until something else is said. */
function site() {
  let changed = () => {};
  let called: RoomListener = async () => nobodyCame;
  const asked: boolean[] = [];
  const router: Router = {
    protocols: () => [],
    route: (one: RouteRequest) => {
      asked.push(one.called);
      return { word: 'wait', line };
    },
    onChange: (listener) => {
      changed = listener;
      return () => {};
    },
    onRoom: (listener) => {
      called = listener;
      return () => {};
    },
  };
  const lines = new Lines(router, systemTimers);
  const enter = (given: { signal?: AbortSignal; within_ms?: number | null } = {}) =>
    lines.enter(request, {
      ...{ signal: new AbortController().signal, within_ms: null, waits: () => true },
      ...given,
    });
  return {
    router,
    lines,
    enter,
    asked,
    change: () => changed(),
    call: (places: number) => called(line, places),
  };
}

describe('calls that wait for a place', () => {
  it('are called in the order in which they came, as many as there are places', async () => {
    const { lines, enter, asked, call } = site();
    void enter();
    void enter();
    expect(await call(1)).toEqual({ count: 1, more: 1 });
    await Promise.resolve();
    expect(asked).toEqual([false, false, true]);
    expect(lines.waiting).toBe(2);
  });

  it('hear that nobody is left to wait for, when providers have changed', async () => {
    const { router, lines, enter, change } = site();
    const entered = enter();
    router.route = () => {
      throw new GleitzeitError('GLZ2007', 'nobody has it');
    };
    change();
    await expect(entered).rejects.toMatchObject({ code: 'GLZ2007' });
    expect(lines.waiting).toBe(0);
  });

  it('come out when their time is over or nobody wants them', async () => {
    const { lines, enter } = site();
    const end = new AbortController();
    const entered = [enter({ within_ms: 1 }), enter({ signal: end.signal })];
    end.abort();
    expect(await Promise.all(entered)).toEqual([{ word: 'over' }, { word: 'over' }]);
    expect(lines.waiting).toBe(0);
    expect(enter({ signal: end.signal })).toEqual({ word: 'over' });
  });
});
