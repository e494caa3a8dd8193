import { describe, expect, it } from 'vitest';
import { type ChannelHarness, talking } from './channel-harness.suite.ts';

/** What comes back on the call's own exchange can only be meant for it: if it is no answer to it, it is none at all. */
export function exchangeSuite(harness: ChannelHarness): void {
  describe('an exchange', () => {
    it.each([
      ['another id', '{"jsonrpc":"2.0","id":"other","result":1}'],
      ['an id of another type', '{"jsonrpc":"2.0","id":"7","result":1}'],
      ['a result without an id', '{"jsonrpc":"2.0","result":1}'],
      ['a result with the id null', '{"jsonrpc":"2.0","id":null,"result":1}'],
      ['no JSON', '<html>'],
      ['half an answer', '{"jsonrpc":"2.0","id":$id,"res'],
      ['an array', '[{"jsonrpc":"2.0","id":$id,"result":1}]'],
      ['a text', '"done"'],
      ['null', 'null'],
    ])('%s is no answer', (_, text) =>
      talking(harness, async ({ trouble }) => {
        expect(await trouble('say', [text], { id: 7 })).toBe('GLZ2005');
      }),
    );
  });
}
