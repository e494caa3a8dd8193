import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { createCorrelation } from './correlate.ts';
import { rememberingLogger } from './testing/quiet.suite.ts';

// What all duplex channels do with it is in channel.suite.ts; here is what only its owner sees.
function calls() {
  const sent: string[] = [];
  const logger = rememberingLogger();
  const correlation = createCorrelation({ logger, max_depth: 10 });
  const { signal } = new AbortController();
  const open = (id: string | number) =>
    correlation.open({ id, method: 'm', signal }, (text) => sent.push(text));
  return { correlation, sent, signal, open, logger };
}

describe('calls under way', () => {
  it('are counted, and what answers nothing too', async () => {
    const { correlation, sent, open, logger } = calls();
    const [one, two] = [open(1), open('1')];
    expect(sent).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"m"}',
      '{"jsonrpc":"2.0","id":"1","method":"m"}',
    ]);
    expect(correlation.pending).toBe(2);
    correlation.received('{"jsonrpc":"2.0","id":"1","result":"two"}');
    correlation.received('{"jsonrpc":"2.0","id":"1","result":"late"}');
    correlation.received(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"one"}'));
    correlation.received('nonsense');
    correlation.received('{"jsonrpc":"2.0","method":"event"}');
    expect(await Promise.all([one, two])).toEqual([{ result: 'one' }, { result: 'two' }]);
    expect([correlation.pending, correlation.strays]).toEqual([0, 3]);
    expect(logger.lines.map(([, { reason }]) => reason)).toEqual([
      'it answers no call that is under way',
      'it is no JSON',
      'it asks something of us',
    ]);
  });

  it('do not let a peer that floods them fill the log', () => {
    const { correlation, logger } = calls();
    for (let n = 0; n < 10_000; n++) correlation.received('nonsense');
    expect(correlation.strays).toBe(10_000);
    expect(logger.lines.length).toBeLessThan(20);
    expect(logger.lines.at(-1)?.[1]).toMatchObject({ strays: 8192 });
  });

  it('end all at once, and one that cannot be sent ends alone', async () => {
    const { correlation, open, signal } = calls();
    const gone = new GleitzeitError('GLZ2002', 'gone');
    const both = Promise.allSettled([open(1), open(2)]);
    const unsent = correlation.open({ id: 3, method: 'm', signal }, () => {
      throw gone;
    });
    await expect(unsent).rejects.toBe(gone);
    expect(correlation.pending).toBe(2);
    correlation.failAll(gone);
    expect(await both).toEqual([1, 2].map(() => ({ status: 'rejected', reason: gone })));
    expect([correlation.pending, getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });

  it('params that JSON cannot say are the caller’s trouble, not ours', async () => {
    const { correlation, signal } = calls();
    const params = { n: 1n } as unknown as { n: number };
    const call = correlation.open({ id: 1, method: 'm', params, signal }, () => {});
    await expect(call).rejects.toMatchObject({ code: 'GLZ2002' });
    expect(correlation.pending).toBe(0);
  });

  it('a refused message ends the call it names, else the only one, else none', async () => {
    const { correlation, open } = calls();
    const ends = ['a', 'b', 'c'].map((id) => expect(open(id)).rejects.toMatchObject({ code: 'GLZ2005' }));
    correlation.refused(Buffer.from('{"id":"b","result":"…'), 'is too large');
    correlation.refused(Buffer.from('{"result":"…'), 'is too large');
    expect([correlation.pending, correlation.strays]).toEqual([2, 1]);
    correlation.received(`{"jsonrpc":"2.0","id":"c","result":${'['.repeat(20)}`);
    expect(correlation.pending).toBe(1);
    correlation.refused(Buffer.from('{"result":"…'), 'is too large');
    await Promise.all(ends);
  });
});

describe('what a peer asks of us', () => {
  function answering() {
    const replies: string[] = [];
    const held: (() => void)[] = [];
    const correlation = createCorrelation({
      logger: rememberingLogger(),
      max_depth: 10,
      reply: (text) => replies.push(text),
      asked: ({ method, params }) => {
        if (method === 'echo') return Promise.resolve({ result: params ?? null });
        if (method === 'refuse') return Promise.resolve({ error: { code: -1, message: 'no' } });
        return method === 'hold' ? new Promise((end) => held.push(() => end({ result: 1 }))) : null;
      },
    });
    const ask = async (id: unknown, method: string, params?: unknown) => {
      correlation.received(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      await Promise.resolve();
      return replies.splice(0);
    };
    return { ask, held };
  }

  it('is answered with its id, and refused where there is no such method', async () => {
    const { ask } = answering();
    expect(await ask('a', 'echo', { x: 1 })).toEqual(['{"jsonrpc":"2.0","result":{"x":1},"id":"a"}']);
    expect(await ask(2, 'echo')).toEqual(['{"jsonrpc":"2.0","result":null,"id":2}']);
    expect(await ask(3, 'refuse')).toEqual(['{"jsonrpc":"2.0","error":{"code":-1,"message":"no"},"id":3}']);
    expect(await ask(4, 'other')).toEqual([expect.stringContaining('-32601')]);
    expect(await ask(undefined, 'echo')).toEqual([]);
    expect(await ask('x'.repeat(1000), 'echo')).toEqual([]);
  });

  it('is bounded: one that asks and asks is refused', async () => {
    const { ask, held } = answering();
    for (let id = 0; id < 64; id++) expect(await ask(id, 'hold')).toEqual([]);
    expect(await ask(64, 'hold')).toEqual([expect.stringContaining('-32601')]);
    held[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await ask(65, 'hold')).toEqual([expect.stringContaining('"id":0')]);
  });
});
