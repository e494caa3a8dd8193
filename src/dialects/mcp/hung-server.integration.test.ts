import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { systemTimers } from '../../embedded/system.ts';
import {
  ask,
  done,
  failed,
  on,
  openMcp,
  type Script,
  startScripted,
  type Turn,
  withSessions,
} from './scripted.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(script: Script, config: JsonObject = {}, timers: Timers = systemTimers) {
  const started = await startScripted(script);
  const provider = openMcp({ url: started.url, version: '2025-11-25', ...config }, { timers });
  ends.push(started.stop, () => provider.close?.());
  return { ...started, provider };
}

/** Time that passes twenty times as fast. */
const fast: Timers = { ...systemTimers, after: (ms, call) => systemTimers.after(ms / 20, call) };

const echo = { content: [{ type: 'text', text: '"hello"' }] };
const params = { name: 'echo' };

/** What stays without an answer as long as it does. */
function hanging(method: string) {
  const hung = { is: true };
  const begun = Promise.withResolvers<void>();
  const script = (turn: Turn) => {
    if (turn.method !== method || !hung.is) return false;
    begun.resolve();
    return true;
  };
  return { hung, script, begun: begun.promise };
}

describe('a server that stays silent', () => {
  it('when it is told that a session has begun is given up after a while, and the next call begins anew', async () => {
    const { hung, script } = hanging('notifications/initialized');
    const { provider, methods } = await server(
      withSessions((turn) => script(turn) || on('tools/call', ({ result }) => result(echo))(turn)),
      { start_timeout: '300ms' },
    );
    expect(await failed(ask(provider, 'tools/call', params))).toMatchObject({
      message: expect.stringMatching(/could not be spoken to within 0\.3 s$/),
      data: { error_code: 'GLZ2003' },
    });
    hung.is = false;
    expect(await done(ask(provider, 'tools/call', params))).toEqual(echo);
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('when it is told that a call was given up holds no connection for good', async () => {
    const cancelled = hanging('notifications/cancelled');
    const called = hanging('tools/call');
    const { provider } = await server(
      withSessions(
        (turn) =>
          cancelled.script(turn) ||
          called.script(turn) ||
          on('tools/call', ({ result }) => result(echo))(turn),
      ),
      { connections: 1 },
      fast,
    );
    const end = new AbortController();
    const answering = ask(provider, 'tools/call', params, { signal: end.signal });
    await called.begun;
    end.abort(new GleitzeitError('GLZ2003', 'no answer within 1 s'));
    expect((await answering).word).toBe('failed');
    await cancelled.begun;
    called.hung.is = false;
    expect(await done(ask(provider, 'tools/call', params))).toEqual(echo);
  });

  it('when it is asked for its tools is an error that says so', async () => {
    const { script } = hanging('tools/list');
    const { provider, url } = await server(withSessions(script), { start_timeout: '200ms' });
    expect(await failed(ask(provider, 'tools/call', params))).toMatchObject({
      message: `${url} did not list its tools within 0.2 s`,
      data: { error_code: 'GLZ2003', hint: expect.stringContaining('start_timeout') },
    });
  });
});

describe('a stream that brought its answer', () => {
  /** How many timers are waiting, by how long they wait. */
  function counted() {
    const waiting = new Map<object, number>();
    const timers: Timers = {
      ...systemTimers,
      after: (ms, call) => {
        const one = {};
        waiting.set(one, ms);
        const cancel = systemTimers.after(ms, () => {
          waiting.delete(one);
          call();
        });
        return () => {
          waiting.delete(one);
          cancel();
        };
      },
    };
    return { timers, waiting: () => [...waiting.values()] };
  }

  it.each([true, false])(
    'leaves no timer behind once its provider is closed; ended by the server: %s',
    async (ends) => {
      const { timers, waiting } = counted();
      const { provider } = await server(
        withSessions(
          on('tools/call', (turn) => {
            turn.stream()({ id: turn.id, result: echo });
            if (ends) turn.response.end();
          }),
        ),
        {},
        timers,
      );
      expect(await done(ask(provider, 'tools/call', params))).toEqual(echo);
      await provider.close?.();
      expect(waiting()).toEqual([]);
    },
  );
});
