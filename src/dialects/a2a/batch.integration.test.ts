import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { listIn, objectIn, textIn } from '../../core/members.ts';
import {
  call,
  cancelled,
  card03,
  closeAll,
  done03,
  failure,
  type Got,
  open,
  result,
  scripted,
} from './testing/agent.suite.ts';

afterEach(closeAll);

type Asked = NonNullable<Got['rpc']>;
const textOf = ({ params }: Asked) => textIn(listIn(objectIn(params, 'message'), 'parts')[0], 'text') ?? '';
const askedIn = ({ body }: Got) => JSON.parse(body) as readonly Asked[];
const answered = (asked: Asked): Json => ({ jsonrpc: '2.0', id: asked.id, result: done03(textOf(asked)) });

const plain = { capabilities: {} };
const batch = { size: 3, wait: '1ms' };

describe('calls in batches', () => {
  it('travel together, as many as one batch takes, and each gets its own answer', async () => {
    const sizes: number[] = [];
    const agent = await scripted((got, says) => {
      if (got.method === 'GET') return says.json(card03('/', plain));
      if (got.rpc !== null) return says.json(answered(got.rpc));
      const asked = askedIn(got);
      sizes.push(asked.length);
      return says.json(asked.map(answered).toReversed());
    });
    const provider = open(agent.url, { batch });
    await result(call(provider, { text: 'alone' }));
    const texts = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(texts.map((text) => result(call(provider, { text }))));
    expect(answers.map(({ text }) => text)).toEqual(texts);
    expect(sizes.toSorted()).toEqual([2, 3]);
  });

  it('fail alone: an error, and an answer that is missing, concern one call', async () => {
    const agent = await scripted((got, says) => {
      if (got.method === 'GET') return says.json(card03('/', plain));
      const [one, two] = askedIn(got);
      const error = { jsonrpc: '2.0', id: two?.id, error: { code: -32602, message: 'bad' } };
      return says.json(one === undefined ? [] : [answered(one), error]);
    });
    const provider = open(agent.url, { batch });
    const [first, second, third] = ['a', 'b', 'c'].map((text) => call(provider, { text }));
    expect(await result(first as NonNullable<typeof first>)).toMatchObject({ text: 'a' });
    expect(await failure(second as NonNullable<typeof second>)).toMatchObject({
      data: { error_code: 'GLZ2010' },
    });
    expect(await failure(third as NonNullable<typeof third>)).toMatchObject({
      data: { error_code: 'GLZ2002' },
    });
  });

  it.each([
    [
      'one error for all',
      (says: Parameters<Parameters<typeof scripted>[0]>[1]) =>
        says.json({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no batches' } }),
    ],
    ['HTTP 400', (says: Parameters<Parameters<typeof scripted>[0]>[1]) => says.text('what?', 400)],
    ['HTTP 413', (says: Parameters<Parameters<typeof scripted>[0]>[1]) => says.text('too large', 413)],
  ])('become single calls where the agent knows none and answers with %s', async (_, refuse) => {
    const agent = await scripted((got, says) => {
      if (got.method === 'GET') return says.json(card03('/', plain));
      return got.rpc === null ? refuse(says) : says.json(answered(got.rpc));
    });
    const provider = open(agent.url, { batch });
    const twice = async () => Promise.all(['a', 'b'].map((text) => result(call(provider, { text }))));
    expect((await twice()).map(({ text }) => text)).toEqual(['a', 'b']);
    expect((await twice()).map(({ text }) => text)).toEqual(['a', 'b']);
    expect(agent.got.filter(({ method, rpc }) => method === 'POST' && rpc === null)).toHaveLength(1);
  });

  it('all fail with the connection, and one that is given up leaves the others alone', async () => {
    const arrived = Promise.withResolvers<() => void>();
    let cut = true;
    const agent = await scripted((got, says) => {
      if (got.method === 'GET') return says.json(card03('/', plain));
      if (cut) return says.cut();
      return arrived.resolve(() => says.json(askedIn(got).map(answered)));
    });
    const provider = open(agent.url, { batch: { size: 2 } });
    const failed = await Promise.all(['a', 'b'].map((text) => failure(call(provider, { text }))));
    expect(failed.map(({ data }) => data.error_code)).toEqual(['GLZ2002', 'GLZ2002']);
    cut = false;
    const end = new AbortController();
    const given = call(provider, { text: 'a' }, { signal: end.signal });
    const kept = call(provider, { text: 'b' });
    const answer = await arrived.promise;
    end.abort(cancelled);
    expect((await failure(given)).data.error_code).toBe('GLZ2009');
    answer();
    expect(await result(kept)).toMatchObject({ text: 'b' });
  });
});
