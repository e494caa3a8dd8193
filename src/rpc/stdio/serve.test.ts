import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { createDispatch, defaultDispatchLimits, type MethodHandler } from '../dispatch.ts';
import { plainPolicy } from '../policy.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { type ServeStdioOptions, serveStdio } from './serve.ts';

type Send = (text: string) => void;

function serving(handler: MethodHandler<Send>, changes: Partial<ServeStdioOptions<Send>> = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const methods = new Map([['m', handler]]);
  const dispatch = createDispatch({ methods, policy: plainPolicy, limits: defaultDispatchLimits, ...quiet });
  const done = serveStdio({ dispatch, context: (send) => send, input, output, ...changes });
  let heard = '';
  output.setEncoding('utf8').on('data', (text) => {
    heard += text;
  });
  const said = async () => {
    await done;
    output.end();
    await finished(output);
    return heard;
  };
  return { input, output, done, said };
}
const ask = (id: number, rest = '') => `{"jsonrpc":"2.0","method":"m","id":${id}${rest}}`;
const framed = (text: string) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

describe('serving over stdio', () => {
  it('answers in lines whoever speaks in lines, and ends with the input', async () => {
    const { input, said } = serving(() => 1);
    input.end(`${ask(1)}\n\r\n${ask(2)}\n`);
    expect(await said()).toBe('{"jsonrpc":"2.0","result":1,"id":1}\n{"jsonrpc":"2.0","result":1,"id":2}\n');
  });

  it.each([{ framing: 'lines' }, { framing: 'auto' }] as const)(
    'takes what follows the last line end for a line, bounded as lines are: %j',
    async (changes) => {
      const { input, said } = serving(() => 1, changes);
      input.end(`${ask(1)}\n${ask(2)}`);
      expect(await said()).toContain('"id":2');
      const bounded = serving(() => 1, { ...changes, max_message: 100 });
      bounded.input.end(ask(3, `,"params":["${'x'.repeat(1000)}"]`));
      expect(JSON.parse(await bounded.said())).toMatchObject({ id: 3, error: { code: -32600 } });
      const [nothing, few] = [serving(() => 1, changes), serving(() => 1, changes)];
      nothing.input.end('');
      expect(await nothing.said()).toBe('');
      few.input.end('conte');
      expect(JSON.parse(await few.said())).toMatchObject({ id: null, error: { code: -32700 } });
    },
  );

  it('answers in headers whoever speaks in headers', async () => {
    const { input, said } = serving(() => 'ü');
    input.end(framed(ask(1)));
    expect(await said()).toBe(framed('{"jsonrpc":"2.0","result":"ü","id":1}'));
  });

  it('says what was asked for before the input ended, however long it takes', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { input, said } = serving(() => promise);
    input.end(`${ask(1)}\n`);
    input.once('close', () => resolve('late'));
    expect(await said()).toContain('late');
  });

  it('sends notifications of its own', async () => {
    const { input, said } = serving(({ context }) => context('{"jsonrpc":"2.0","method":"event"}'));
    input.end(`${ask(1)}\n`);
    expect(await said()).toBe('{"jsonrpc":"2.0","method":"event"}\n{"jsonrpc":"2.0","result":null,"id":1}\n');
  });

  it('refuses a message past the bound, under its id, and goes on', async () => {
    const { input, said } = serving(() => 1, { max_message: 1000 });
    input.end(`${ask(7, `,"params":["${'x'.repeat(100_000)}"]`)}\n${ask(8)}\n`);
    const [refused, answered] = (await said()).trim().split('\n');
    expect(JSON.parse(refused ?? '')).toMatchObject({ id: 7, error: { code: -32600 } });
    expect(JSON.parse(answered ?? '')).toMatchObject({ id: 8, result: 1 });
  });

  it('gives up a stream whose header counts nothing', async () => {
    const { input, said } = serving(() => 1);
    input.write('Content-Length: x\r\n\r\n');
    expect(await said()).toContain('a header without a Content-Length');
  });

  it('takes no more than it may work on at a time', async () => {
    const waiting: (() => void)[] = [];
    const { input, said } = serving(() => new Promise<void>((resolve) => waiting.push(resolve)), {
      max_in_flight: 2,
    });
    for (const id of [1, 2, 3, 4]) input.write(`${ask(id)}\n`);
    input.end();
    await expect.poll(() => waiting.length).toBe(2);
    expect(input.isPaused()).toBe(true);
    for (let go = waiting.shift(); go !== undefined; go = waiting.shift()) {
      go();
      await new Promise(setImmediate);
    }
    expect((await said()).trim().split('\n')).toHaveLength(4);
  });

  it('stops the work when nobody reads the answers', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const { input, output, done } = serving(({ signal }) => {
      started.resolve(signal);
      return new Promise(() => {});
    });
    input.write(`${ask(1)}\n`);
    const signal = await started.promise;
    output.destroy(new Error('EPIPE'));
    await done;
    expect(signal.aborted).toBe(true);
  });
});
