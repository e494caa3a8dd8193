import { describe, expect, it } from 'vitest';
import { channelSuite, type PeerOut, scriptedPeer } from '../channel.suite.ts';
import { createDispatch, type Dispatch, defaultDispatchLimits, type MethodHandler } from '../dispatch.ts';
import { plainPolicy } from '../policy.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { inProcessChannel } from './channel.ts';

type Send = (text: string) => void;

/** The scripted peer in the place of a server. */
function scriptedDispatch(): Dispatch<Send> {
  const peer = scriptedPeer();
  return {
    handle: async (body, send) => {
      const out: PeerOut = { send, silence: () => {}, cut: () => {} };
      peer.receive(String(body), out);
      return { text: null, status: 200 };
    },
  };
}

channelSuite('in process', {
  kind: 'duplex',
  breaks: false,
  open: async ({ max_message, notified }) => {
    const channel = inProcessChannel({
      dispatch: scriptedDispatch(),
      context: (send) => send,
      logger: quiet.logger,
      max_depth: 100,
      max_message,
      ...(notified === undefined ? {} : { notified }),
    });
    return { channel, stop: () => channel.close() };
  },
});

describe('a server in the same process', () => {
  const serving = (handler: MethodHandler<Send>) => {
    const dispatch = createDispatch({
      methods: new Map([['m', handler]]),
      policy: plainPolicy,
      limits: defaultDispatchLimits,
      ...quiet,
    });
    return inProcessChannel({
      dispatch,
      context: (send) => send,
      logger: quiet.logger,
      max_depth: 100,
      max_message: 1e6,
    });
  };

  it('shares nothing by reference', async () => {
    const params = { list: [1] };
    const channel = serving(({ params: given }) => ({ given, same: given === params }));
    const answer = await channel.call({ id: 1, method: 'm', params, signal: new AbortController().signal });
    expect(answer).toEqual({ result: { given: params, same: false } });
  });

  it.each(['the caller', 'closing'])('a handler hears of the end by %s', async (by) => {
    const started = Promise.withResolvers<AbortSignal>();
    const channel = serving(({ signal }) => {
      started.resolve(signal);
      return new Promise(() => {});
    });
    const controller = new AbortController();
    const call = channel.call({ id: 1, method: 'm', signal: controller.signal });
    const ended = expect(call).rejects.toThrow();
    const signal = await started.promise;
    if (by === 'closing') await channel.close();
    else controller.abort();
    await ended;
    expect(signal.aborted).toBe(true);
  });
});
