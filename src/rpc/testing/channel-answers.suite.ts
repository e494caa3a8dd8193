import { describe, expect, it } from 'vitest';
import { type ChannelHarness, MAX_MESSAGE, talking, troubleOf } from './channel-harness.suite.ts';

export function answersSuite(harness: ChannelHarness): void {
  describe('answers', () => {
    it.each([
      [[]],
      [{}],
      [[1, 'a', null, [true]]],
      [{ a: { b: ['ü', '日本', '😀', '\u0000\n"\\'] } }],
      [undefined],
    ])('the params arrive as they are: %j', (params) =>
      talking(harness, async ({ call }) => {
        expect(await call('echo', params)).toMatchObject({ result: params ?? null });
      }),
    );

    it('an error is an answer, with its data', () =>
      talking(harness, async ({ call }) => {
        const error = { code: -32050, message: 'not now', data: { why: ['because'] } };
        expect(await call('fail', [error])).toMatchObject({ error });
      }));

    it('texts of many bytes come through whole, both ways', () =>
      talking(harness, async ({ call }) => {
        const params = ['日本語😀'.repeat(10_000)];
        expect(await call('echo', params)).toMatchObject({ result: params });
      }));

    it('C1 ids are told apart by their type', () =>
      talking(harness, async ({ call }) => {
        const signal = new AbortController().signal;
        const both = [
          call('echo', ['number'], { id: 1, signal }),
          call('echo', ['text'], { id: '1', signal }),
        ];
        expect(await Promise.all(both)).toMatchObject([{ result: ['number'] }, { result: ['text'] }]);
      }));

    it('C2 answers in any order find their calls', () =>
      talking(harness, async ({ call }) => {
        const held = Array.from({ length: 20 }, (_, n) => call('hold', [n]));
        // Answered only once all of them are there, the last first.
        const released = await releaseAll(call, 20);
        expect(released).toBe(20);
        expect((await Promise.all(held)).map((answer) => 'result' in answer && answer.result)).toEqual(
          Array.from({ length: 20 }, (_, n) => [n]),
        );
      }));

    it('C3 a notification is handed over and not answered', () =>
      talking(harness, async ({ channel, call }) => {
        await channel.notify({ method: 'hello', params: [1] });
        await channel.notify({ method: 'bye' });
        expect(await call('noted')).toMatchObject({
          result: {
            noted: [
              { jsonrpc: '2.0', method: 'hello', params: [1] },
              { jsonrpc: '2.0', method: 'bye' },
            ],
            requests: 1,
          },
        });
      }));

    it.each([
      ['both', '{"jsonrpc":"2.0","id":$id,"result":1,"error":{"code":1,"message":"m"}}'],
      ['both, one null', '{"jsonrpc":"2.0","id":$id,"result":1,"error":null}'],
      ['neither', '{"jsonrpc":"2.0","id":$id}'],
      ['an error that is a text', '{"jsonrpc":"2.0","id":$id,"error":"no"}'],
      ['an error without a code', '{"jsonrpc":"2.0","id":$id,"error":{"message":"m"}}'],
      ['an error with half a code', '{"jsonrpc":"2.0","id":$id,"error":{"code":1.5,"message":"m"}}'],
      ['an error without a message', '{"jsonrpc":"2.0","id":$id,"error":{"code":1}}'],
      ['no version', '{"id":$id,"result":1}'],
    ])('C4 %s is no answer', (_, text) =>
      talking(harness, async ({ call, trouble }) => {
        expect(await trouble('say', [text])).toBe('GLZ2005');
        expect(await call('echo', [1])).toMatchObject({ result: [1] });
      }),
    );

    it('C5 an error with the id null belongs to the only call', () =>
      talking(harness, async ({ call }) => {
        const text = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}';
        expect(await call('say', [text])).toMatchObject({ error: { code: -32700 } });
      }));

    it('an answer as large as the bound comes, a larger one is refused and costs nobody else anything', () =>
      talking(harness, async ({ call }) => {
        expect(await call('fill', [MAX_MESSAGE - 1000])).toMatchObject({
          result: expect.stringMatching(/^x+$/),
        });
        const other = call('hold', ['other']);
        const refused = await troubleOf(call('fill', [MAX_MESSAGE * 20]));
        expect([refused.code, refused.message]).toEqual(['GLZ2005', expect.stringMatching(/larger/)]);
        await releaseAll(call, 1);
        expect(await other).toMatchObject({ result: ['other'] });
      }));

    it('an answer of 100,000 levels is refused', () =>
      talking(harness, async ({ call, trouble }) => {
        expect(await trouble('nest')).toBe('GLZ2005');
        expect(await call('echo', [1])).toMatchObject({ result: [1] });
      }));

    it('a __proto__ in an answer is data', () =>
      talking(harness, async ({ call }) => {
        const answer = await call('say', [
          '{"jsonrpc":"2.0","id":$id,"result":{"__proto__":{"polluted":1}}}',
        ]);
        expect(JSON.stringify(answer)).toContain('{"__proto__":{"polluted":1}}');
        expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
      }));
  });
}

/** Calls on other connections may arrive later than the release: it is repeated until all are answered. */
async function releaseAll(call: (method: string) => Promise<object>, count: number): Promise<number> {
  let released = 0;
  while (released < count) {
    const answer = await call('release');
    if ('result' in answer) released += Number(answer.result);
  }
  return released;
}
