import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { type ChannelHarness, talking, troubleOf } from './channel-harness.suite.ts';

export function endsSuite(harness: ChannelHarness): void {
  describe('a call that is given up', () => {
    it('rejects at once, and the channel goes on', () =>
      talking(harness, async ({ call, trouble }) => {
        const controller = new AbortController();
        const silent = trouble('say_nothing', [], { signal: controller.signal });
        await call('echo', [1]);
        controller.abort();
        expect(await silent).toBe('GLZ2003');
        expect(await call('echo', [2])).toMatchObject({ result: [2] });
      }));

    it('rejects with the reason where that is an error of ours', () =>
      talking(harness, async ({ call }) => {
        const controller = new AbortController();
        const silent = troubleOf(call('say_nothing', [], { signal: controller.signal }));
        const reason = new GleitzeitError('GLZ2009', 'someone cancelled it');
        controller.abort(reason);
        expect(await silent).toBe(reason);
      }));

    it('is not sent where it was given up before', () =>
      talking(harness, async ({ call, trouble }) => {
        expect(await trouble('echo', [1], { signal: AbortSignal.abort() })).toBe('GLZ2003');
        expect(await call('noted')).toMatchObject({ result: { requests: 1 } });
      }));

    it('may be made again under its id', () =>
      talking(harness, async ({ call, trouble }) => {
        const controller = new AbortController();
        const silent = trouble('say_nothing', [], { id: 'again', signal: controller.signal });
        controller.abort();
        expect(await silent).toBe('GLZ2003');
        expect(await call('echo', ['second'], { id: 'again' })).toMatchObject({ result: ['second'] });
      }));
  });

  describe('closing', () => {
    it('rejects what is under way and what comes after, and may be repeated', () =>
      talking(harness, async ({ channel, call, trouble }) => {
        await call('echo', [1]);
        const silent = [trouble('say_nothing'), trouble('say_nothing')];
        await call('echo', [1]);
        await Promise.all([channel.close(), channel.close()]);
        expect(await Promise.all(silent)).toEqual(['GLZ2002', 'GLZ2002']);
        expect(await trouble('echo')).toBe('GLZ2002');
        expect((await troubleOf(channel.notify({ method: 'hello' }))).code).toBe('GLZ2002');
        await channel.close();
      }));

    it('is fine for a channel nobody used', () => talking(harness, ({ channel }) => channel.close()));
  });

  it('nothing is left at the signal of calls that are over', () =>
    talking(harness, async ({ call, trouble }) => {
      const { signal } = new AbortController();
      await Promise.all(Array.from({ length: 50 }, (_, n) => call('echo', [n], { signal })));
      await trouble('say', ['{"jsonrpc":"2.0","id":$id}'], { signal });
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }));

  if (harness.breaks) {
    it('a connection that breaks half way ends its calls, and the next call has a new one', () =>
      talking(harness, async ({ call, trouble }) => {
        expect(await trouble('cut')).toBe('GLZ2002');
        expect(await call('echo', ['again'])).toMatchObject({ result: ['again'] });
      }));
  }
}
