import { describe, expect, it } from 'vitest';
import { type ChannelHarness, talking } from './channel-harness.suite.ts';

const answer = '{"jsonrpc":"2.0","id":$id,"result":"right"}';

/** Where all calls share a connection, what nobody waits for is dropped and the others go on. */
export function duplexSuite(harness: ChannelHarness): void {
  describe('a shared connection', () => {
    it.each([
      ['an answer to nobody', ['{"jsonrpc":"2.0","id":"nobody","result":1}', answer]],
      ['an answer to an id of another type', ['{"jsonrpc":"2.0","id":"7","result":1}', answer]],
      ['an answer without an id', ['{"jsonrpc":"2.0","result":1}', answer]],
      ['a result with the id null', ['{"jsonrpc":"2.0","id":null,"result":1}', answer]],
      ['no JSON', ['Listening on stdin …', '{"jsonrpc"', answer]],
      ['no message', ['7', 'null', '"text"', '{}', '[]', '[[]]', answer]],
      ['a request of the peer', ['{"jsonrpc":"2.0","id":7,"method":"roots/list"}', answer]],
      ['the same answer twice', [answer, answer.replace('right', 'wrong')]],
      ['an answer in an array', [`[{"jsonrpc":"2.0","id":"nobody","result":1},${answer}]`]],
    ])('%s is dropped', (_, texts) =>
      talking(harness, async ({ call }) => {
        expect(await call('say', texts, { id: 7 })).toMatchObject({ result: 'right' });
        expect(await call('echo', ['next'])).toMatchObject({ result: ['next'] });
      }),
    );

    it('C1 a second call under an id that is under way is refused, and the first goes on', () =>
      talking(harness, async ({ call, trouble }) => {
        const first = call('hold', ['first'], { id: 'same' });
        expect(await trouble('echo', [], { id: 'same' })).toBe('GLZ2002');
        await call('release');
        expect(await first).toMatchObject({ result: ['first'] });
      }));

    it('C1 calls whose ids differ in type only are answered each for itself', () =>
      talking(harness, async ({ call }) => {
        const both = [call('hold', ['number'], { id: 1 }), call('hold', ['text'], { id: '1' })];
        await call('release');
        expect(await Promise.all(both)).toMatchObject([{ result: ['number'] }, { result: ['text'] }]);
      }));

    it('C5 an error with the id null belongs to none of several calls', () =>
      talking(harness, async ({ call }) => {
        const held = call('hold', ['held']);
        const text = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}';
        expect(await call('say', [text, answer])).toMatchObject({ result: 'right' });
        await call('release');
        expect(await held).toMatchObject({ result: ['held'] });
      }));

    it('a late answer to a call that was given up is dropped', () =>
      talking(harness, async ({ call, trouble }) => {
        const controller = new AbortController();
        const held = trouble('hold', ['late'], { signal: controller.signal });
        controller.abort();
        await held;
        expect(await call('release')).toMatchObject({ result: expect.any(Number) });
        expect(await call('echo', ['next'])).toMatchObject({ result: ['next'] });
      }));

    it('notifications of the peer are handed on', () =>
      talking(harness, async ({ call, heard }) => {
        const texts = [
          '{"jsonrpc":"2.0","method":"event","params":{"n":1}}',
          '{"jsonrpc":"2.0","method":"bare"}',
        ];
        await call('say', [...texts, answer]);
        expect(heard).toEqual([{ method: 'event', params: { n: 1 } }, { method: 'bare' }]);
      }));

    it('news of a call reach whoever made it, and of no other', () =>
      talking(harness, async ({ call, heard }) => {
        const told: unknown[] = [];
        const texts = [
          '{"jsonrpc":"2.0","method":"progress","params":{"id":$id,"progress":1,"total":2,"text":"a"}}',
          '{"jsonrpc":"2.0","method":"progress","params":{"id":"another","progress":7}}',
          '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$id,"message":"m"}}',
          '{"jsonrpc":"2.0","method":"$/progress","params":{"token":$id,"value":{"percentage":50}}}',
        ];
        const progressed = (one: object) => void told.push(one);
        expect(await call('say', [...texts, answer], { progressed })).toMatchObject({ result: 'right' });
        expect(told).toEqual([
          { progress: 1, total: 2, text: 'a' },
          { message: 'm' },
          { progress: 50, total: 100 },
        ]);
        expect(heard).toEqual([{ method: 'progress', params: { id: 'another', progress: 7 } }]);
      }));

    if (harness.replies === true) {
      it('requests of the peer are refused, since nobody here answers them', () =>
        talking(harness, async ({ call }) => {
          const texts = ['7', '"text"', 'null', '{}', `"${'x'.repeat(5000)}"`].map(
            (id) => `{"jsonrpc":"2.0","id":${id},"method":"roots/list"}`,
          );
          await call('say', [...texts, '{"jsonrpc":"2.0","method":"roots/list"}', answer]);
          const { result } = (await call('noted')) as { result: { noted: unknown[] } };
          const error = { code: -32601, message: 'method not found' };
          expect(result.noted).toEqual([
            { jsonrpc: '2.0', id: 7, error },
            { jsonrpc: '2.0', id: 'text', error },
          ]);
        }));
    }

    if (harness.breaks) {
      it('all calls end when it breaks', () =>
        talking(harness, async ({ trouble }) => {
          const silent = [trouble('say_nothing'), trouble('say_nothing')];
          expect(await trouble('cut')).toBe('GLZ2002');
          expect(await Promise.all(silent)).toEqual(['GLZ2002', 'GLZ2002']);
        }));
    }
  });
}
