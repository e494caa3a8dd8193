import { describe, expect, it } from 'vitest';
import type { AttemptName } from '../core/attempt-name.ts';
import type { Arrivals } from '../core/ports/dispatch.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { RouteRequest, Router } from '../core/ports/router.ts';
import { nobodyCame } from '../core/ports/router.ts';
import { outgoingCall } from '../core/testing/calls.suite.ts';
import { dispatchByWay } from './dispatch-by-way.ts';
import { localDispatch } from './local-dispatch.ts';
import { createRouter } from './router.ts';

function provider(id: string, protocol: string, methods: readonly string[] = ['echo']): Provider {
  return {
    id,
    protocol,
    hasMethod: (method) => methods.includes(method),
    call: async (call) => ({ word: 'done', result: JSON.stringify(`${id} ${call.method}`) }),
  };
}

const call = (protocol: string, method = 'echo'): RouteRequest => ({
  protocol,
  method,
  params: {},
  task_id: 't',
  workflow_id: null,
  avoid: [],
  called: false,
});

function chosen(router: Router, request: RouteRequest): Provider {
  const routed = router.route(request);
  if (routed.word === 'wait') throw new Error('nobody waits here');
  routed.passage.leave();
  return routed.passage.provider;
}

describe('the router', () => {
  it('knows the protocols that can be served, each once', () => {
    const router = createRouter([provider('1', 'a/v1'), provider('2', 'b/v1'), provider('3', 'a/v1')]);
    expect(router.protocols()).toEqual(['a/v1', 'b/v1']);
    expect(createRouter([]).protocols()).toEqual([]);
  });

  it('finds a provider of the protocol that has the method', () => {
    const router = createRouter([provider('1', 'a/v1', ['x']), provider('2', 'a/v1', ['y'])]);
    for (let turn = 0; turn < 3; turn++) {
      expect(chosen(router, call('a/v1', 'x')).id).toBe('1');
      expect(chosen(router, call('a/v1', 'y')).id).toBe('2');
    }
  });

  it('takes several in turn', () => {
    const router = createRouter(['1', '2', '3'].map((id) => provider(id, 'a/v1')));
    const ids = Array.from({ length: 7 }, () => chosen(router, call('a/v1')).id);
    expect(ids).toEqual(['1', '2', '3', '1', '2', '3', '1']);
  });

  it('takes them in turn whatever else is called in between', () => {
    const router = createRouter([
      provider('1', 'a/v1', ['echo', 'only']),
      provider('2', 'a/v1'),
      provider('3', 'b/v1'),
    ]);
    const ids = Array.from({ length: 4 }, () => {
      const { id } = chosen(router, call('a/v1'));
      router.route(call('b/v1'));
      router.route(call('a/v1', 'only'));
      router.route(call('b/v1'));
      return id;
    });
    expect(ids).toEqual(['1', '2', '1', '2']);
  });

  it('refuses what nobody can do, and says what would help', () => {
    const router = createRouter([provider('1', 'a/v1')]);
    for (const missing of [call('a/v1', 'sing'), call('b/v1')]) {
      expect(() => router.route(missing)).toThrow(
        expect.objectContaining({
          code: 'GLZ2007',
          message: `no provider for ${missing.protocol} ${missing.method}`,
          details: { hint: expect.stringContaining(missing.protocol) },
        }),
      );
    }
    expect(chosen(router, call('a/v1')).id).toBe('1');
  });
});

describe('dispatch inside the process', () => {
  it('makes the call of the provider, as it is', async () => {
    expect(await localDispatch.send(provider('1', 'a/v1'), outgoingCall())).toEqual({
      word: 'done',
      result: '"1 echo"',
    });
  });

  it('leaves to another those calls whose providers say so, and all that comes back of them', async () => {
    const told: unknown[] = [];
    const away = {
      send: async () => ({ word: 'handed_over', bound_ms: 7 }) as const,
      listen: async (arrivals: Arrivals) => async () => void told.push(arrivals),
      abandon: (call: AttemptName) => void told.push(call),
      onRoom: (listener: unknown) => () => void told.push(listener),
    };
    const dispatch = dispatchByWay(localDispatch, away);
    const bridged: Provider = { ...provider('2', 'a/v1'), via: 'bridge' };
    const here: Provider = { ...provider('1', 'a/v1'), via: 'local' };
    expect([here, bridged].map((one) => dispatch.leaves?.(one))).toEqual([false, true]);
    expect(await dispatch.send(here, outgoingCall())).toMatchObject({ word: 'done' });
    expect(await dispatch.send(bridged, outgoingCall())).toEqual({ word: 'handed_over', bound_ms: 7 });
    const arrivals: Arrivals = { ended: async () => true, kept: async () => {}, news: () => {} };
    await (await dispatch.listen?.(arrivals))?.();
    const abandoned = { task_id: 't', generation: 0, attempt: 1, provider: '2' };
    dispatch.abandon?.(abandoned);
    const listener = async () => nobodyCame;
    dispatch.onRoom?.(listener)();
    expect(told).toEqual([arrivals, abandoned, listener]);
  });
});
