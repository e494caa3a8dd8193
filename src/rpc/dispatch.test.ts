import { describe, expect, it, vi } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import {
  createDispatch,
  type DispatchParts,
  defaultDispatchLimits,
  type MethodHandler,
  type ObserveCall,
} from './dispatch.ts';
import { RawJson, RpcFailure } from './messages.ts';
import { plainPolicy } from './policy.ts';
import { quiet, rememberingLogger } from './testing/quiet.suite.ts';

const { signal } = new AbortController();
const ask = (method: string, id: unknown = 1) => JSON.stringify({ jsonrpc: '2.0', method, id });
const tell = (method: string) => JSON.stringify({ jsonrpc: '2.0', method });

function serving(handler: MethodHandler<string>, changes: Partial<DispatchParts<string>> = {}) {
  const dispatch = createDispatch({
    methods: new Map([['m', handler]]),
    policy: plainPolicy,
    limits: defaultDispatchLimits,
    ...quiet,
    ...changes,
  });
  return async (body: string | Uint8Array, stop: AbortSignal = signal) => {
    const { text, status } = await dispatch.handle(body, 'someone', stop);
    return { status, reply: text === null ? null : JSON.parse(text), text };
  };
}

describe('what a handler is given', () => {
  it('params, context, signal and id', async () => {
    const handler = vi.fn<MethodHandler<string>>();
    const send = serving(handler);
    await send('{"jsonrpc":"2.0","method":"m","params":{"a":1},"id":"x"}');
    expect(handler).toHaveBeenCalledExactlyOnceWith({
      params: { a: 1 },
      context: 'someone',
      signal,
      id: 'x',
    });
    await send(tell('m'));
    expect(handler).toHaveBeenLastCalledWith({
      params: undefined,
      context: 'someone',
      signal,
      id: undefined,
    });
  });
});

describe('what a handler answers', () => {
  const reply = async (value: unknown, logger = rememberingLogger()) => {
    const { reply, text } = await serving(() => value, { logger })(ask('m'));
    return { reply, text, logger };
  };

  it('text that is JSON already goes out as it is', async () => {
    const { text } = await reply(new RawJson('{"a":  1}'));
    expect(text).toBe('{"jsonrpc":"2.0","result":{"a":  1},"id":1}');
  });

  it('an error in the words of another protocol', async () => {
    const error = { code: -32001, message: 'Task not found', data: [1] };
    expect((await reply(new RpcFailure(error))).reply).toEqual({ jsonrpc: '2.0', error, id: 1 });
  });

  const circle: unknown[] = [];
  circle.push(circle);
  it.each([
    ['a circle', circle],
    ['a bigint', { a: 1n }],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['an error whose data is a circle', new RpcFailure({ code: 5, message: 'm', data: circle as never })],
  ])('%s cannot be said: an internal error, logged', async (_, value) => {
    const { reply: said, logger } = await reply(value);
    expect(said).toMatchObject({ error: { code: -32603, data: { error_code: 'GLZ9001' } }, id: 1 });
    expect(logger.lines).toEqual([['a method failed', { method: 'm', error: expect.any(String) }]]);
  });
});

describe('what a handler throws', () => {
  const thrown = async (value: unknown) => {
    const logger = rememberingLogger();
    const throws = () => {
      throw value;
    };
    return { ...(await serving(throws, { logger })(ask('m'))), logger };
  };

  it('an error of ours is answered as it is, and is nobody else’s business', async () => {
    const error = new GleitzeitError('GLZ1010', 'there is no task x', { field: 'task_id' });
    const { reply, status, logger } = await thrown(error);
    expect([reply.error, status, logger.lines]).toEqual([error.toRecord(), 200, []]);
  });

  it.each([new Error('password=1'), 'password=1', { password: 1 }, null, undefined])(
    '%o is an internal error that says nothing',
    async (value) => {
      const { text, reply, logger } = await thrown(value);
      expect(reply.error).toMatchObject({ code: -32603, message: 'internal error' });
      expect(text).not.toContain('password');
      expect(logger.lines).toHaveLength(1);
    },
  );

  it('an error of ours that JSON cannot say is an internal one', async () => {
    const { reply } = await thrown(new GleitzeitError('GLZ1001', 'm', { details: 1n as never }));
    expect(reply.error.code).toBe(-32603);
  });
});

describe('limits', () => {
  const count = vi.fn(() => 1);
  const send = serving(count, {
    limits: { max_depth: 10, max_batch: 3, batch_concurrency: 2, max_batch_reply: 100 },
  });

  it('nesting is counted on the bytes: 100,000 levels are never parsed', async () => {
    const body = Buffer.from(`{"jsonrpc":"2.0","method":"m","id":1,"params":${'['.repeat(100_000)}`);
    const { reply } = await send(body);
    expect(reply).toMatchObject({
      error: { code: -32600, data: { reason: 'nested deeper than 10 levels' } },
      id: null,
    });
  });

  it('brackets in texts are no nesting', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'm', id: 1, params: ['[{"\\'.repeat(100)] });
    expect((await send(text)).reply.result).toBe(1);
  });

  it('a batch that is too large is one error, and nothing of it runs', async () => {
    count.mockClear();
    const { reply } = await send(`[${Array(4).fill(ask('m')).join(',')}]`);
    expect(reply).toMatchObject({ error: { code: -32600, message: 'batch too large' }, id: null });
    expect(count).not.toHaveBeenCalled();
    expect((await send(`[${Array(3).fill(ask('m')).join(',')}]`)).reply).toHaveLength(3);
  });

  it('a request with many members is no batch', async () => {
    const { reply } = await send('{"a":1,"b":2,"c":3,"jsonrpc":"2.0","method":"m","id":1}');
    expect(reply.result).toBe(1);
  });

  it('a batch of 100,000 is refused whole', async () => {
    const body = Buffer.from(`[${Array(100_000).fill(ask('m')).join(',')}]`);
    count.mockClear();
    expect((await send(body)).reply.error.message).toBe('batch too large');
    expect(count).not.toHaveBeenCalled();
  });

  it('a request of more keys than anybody needs is not parsed', async () => {
    const { reply } = await send(
      `{"jsonrpc":"2.0","id":1,"params":{${Array(100_001).fill('"":0').join(',')}}}`,
    );
    expect(reply).toMatchObject({
      error: { code: -32600, data: { reason: expect.stringContaining('100000 keys') } },
      id: null,
    });
  });

  it('a batch whose answers grow too large ends in errors', async () => {
    const big = serving(() => 'x'.repeat(200), {
      limits: { ...defaultDispatchLimits, batch_concurrency: 1, max_batch_reply: 300 },
    });
    const { reply } = await big(`[${[1, 2, 3].map((id) => ask('m', id)).join(',')},${tell('m')}]`);
    expect(reply).toMatchObject([
      { id: 1 },
      { id: 2 },
      { id: 3, error: { data: { error_code: 'GLZ4003' } } },
    ]);
    expect(reply).toHaveLength(3);
  });

  it('bytes that are no UTF-8 are no JSON', async () => {
    const { reply } = await send(Buffer.from([0x22, 0xff, 0xfe, 0x22]));
    expect(reply.error).toMatchObject({ code: -32700, data: { reason: 'the bytes are no UTF-8' } });
  });

  it.each([
    ['{"secret":"abc', 'no JSON from character 14 on'],
    ['{"secret":"abc" x', 'no JSON from character 16 on'],
    ['', 'the text ends too early'],
  ])('%s: says where reading ended, and quotes nothing', async (text, reason) => {
    expect((await send(text)).reply.error.data).toEqual({ error_code: 'GLZ4005', reason });
  });
});

describe('a batch', () => {
  it('runs a few members at a time, and answers in order', async () => {
    let running = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const handler: MethodHandler<string> = async ({ id }) => {
      most = Math.max(most, ++running);
      if (waiting.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else await Promise.resolve();
      running--;
      if (id === 9) for (const go of waiting) go();
      return id;
    };
    const send = serving(handler, { limits: { ...defaultDispatchLimits, batch_concurrency: 3 } });
    const { reply } = await send(`[${[...Array(10).keys()].map((id) => ask('m', id)).join(',')}]`);
    expect(most).toBe(3);
    expect(reply.map(({ id, result }: { id: number; result: number }) => [id, result])).toEqual(
      [...Array(10).keys()].map((id) => [id, id]),
    );
  });

  it('begins nothing more once its caller is gone', async () => {
    const controller = new AbortController();
    const handler = vi.fn<MethodHandler<string>>(() => controller.abort());
    const send = serving(handler, { limits: { ...defaultDispatchLimits, batch_concurrency: 1 } });
    const { reply } = await send(`[${ask('m', 1)},${ask('m', 2)},${tell('m')}]`, controller.signal);
    expect(handler).toHaveBeenCalledOnce();
    expect(reply).toMatchObject([
      { id: 1, result: null },
      { id: 2, error: { code: 2009 } },
    ]);
  });
});

describe('cancellation', () => {
  it('reaches the handler through the signal', async () => {
    const controller = new AbortController();
    const handler: MethodHandler<string> = ({ signal: heard }) =>
      new Promise((_, reject) =>
        heard.addEventListener('abort', () => reject(new GleitzeitError('GLZ2009', 'gone'))),
      );
    const reply = serving(handler)(ask('m'), controller.signal);
    controller.abort();
    expect((await reply).reply.error.code).toBe(2009);
  });
});

describe('observation', () => {
  it('tells method, time and error code, and no name that a caller made up', async () => {
    const observe = vi.fn<ObserveCall>();
    const throws = () => {
      throw new GleitzeitError('GLZ1010', 'gone');
    };
    const methods = new Map<string, MethodHandler<string>>([
      ['m', () => 1],
      ['t', throws],
    ]);
    const limits = { ...defaultDispatchLimits, batch_concurrency: 1 };
    const send = serving(throws, { methods, observe, limits });
    await send(`[${ask('m')},${ask('t')},${ask('made_up')},${tell('t')},1]`);
    expect(observe.mock.calls.map(([method, ms, code]) => [method, ms >= 0, code])).toEqual([
      ['m', true, null],
      ['t', true, 1010],
      [null, true, -32601],
      ['t', true, 1010],
    ]);
  });
});
