import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Channel, RpcAnswer } from '../../rpc/channel.ts';
import { manualTimers } from '../../rpc/websocket/manual-timers.suite.ts';
import { direct } from '../dialect.suite.ts';
import { jsonrpcProvider } from './provider.ts';

/** A provider with a timeout of a second, over a channel that answers when the test says so. */
function setUp() {
  const timers = manualTimers();
  const said = Promise.withResolvers<RpcAnswer>();
  const channel: Channel = {
    call: ({ signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
        said.promise.then(resolve, reject);
      }),
    notify: async () => {},
    close: async () => {},
  };
  const provider = jsonrpcProvider({ id: 'p', protocol: 'a/v1', channel, timeout: { ms: 1000, timers } });
  const end = new AbortController();
  const call = () => direct(provider, { do: 'echo', value: 1 }, { signal: end.signal });
  const left = () => [timers.waiting.length, getEventListeners(end.signal, 'abort').length];
  return { timers, said, end, call, left };
}

describe('the timeout of a provider', () => {
  it('ends a call, and leaves nothing behind', async () => {
    const { timers, call, left } = setUp();
    const answer = call();
    await timers.set(1000);
    timers.pass(1000);
    expect(await answer).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ2003' } } });
    expect(left()).toEqual([0, 0]);
  });

  it('does not keep a call that its task gives up', async () => {
    const { timers, end, call, left } = setUp();
    const answer = call();
    await timers.set(1000);
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    // Where the task is not heard, the timeout ends the call: in other words.
    await new Promise(setImmediate);
    timers.pass(1000);
    expect(await answer).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ2009' } } });
    expect(left()).toEqual([0, 0]);
  });

  it('is over with the answer', async () => {
    const { timers, said, call, left } = setUp();
    const answer = call();
    await timers.set(1000);
    expect(left()).toEqual([1, 1]);
    said.resolve({ result: 'done' });
    expect(await answer).toEqual({ word: 'done', result: '"done"' });
    expect(left()).toEqual([0, 0]);
  });

  it('has nothing to add to a call that was given up before', async () => {
    const { end, call, left } = setUp();
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect(await call()).toMatchObject({ error: { data: { error_code: 'GLZ2009' } } });
    expect(left()).toEqual([0, 0]);
  });
});
