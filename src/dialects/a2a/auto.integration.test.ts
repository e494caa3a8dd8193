import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../embedded/system.ts';
import {
  call,
  card03,
  closeAll,
  done03,
  failure,
  open,
  result,
  scripted,
  task03,
  waiting,
} from './testing/agent.suite.ts';

afterEach(closeAll);

const plain = { capabilities: {} };

describe('an agent whose dialect is found out', () => {
  it('is spoken to in A2A where it has a card, and in simple A2A where it has none', async () => {
    const agent = await scripted(({ method, body }, says) => {
      if (method === 'GET') return says.text('', 404);
      const { task_id, input } = JSON.parse(body) as { task_id: string; input: { text: string } };
      return says.json({ task_id, status: 'success', output: { text: `simple ${input.text}` } });
    });
    const simple = open(agent.url, { a2a_version: 'auto' }, { type: 'auto' });
    expect(await result(call(simple, { text: 'hi' }))).toMatchObject({ text: 'simple hi' });
    const carded = await scripted(({ rpc }, says) =>
      says[rpc === null ? 'json' : 'result'](rpc === null ? card03('/', plain) : done03('a2a')),
    );
    expect(await result(call(open(carded.url, {}, { type: 'auto' }), { text: 'hi' }))).toMatchObject({
      text: 'a2a',
    });
  });

  it('may come to speak another while it is in use', async () => {
    let now = 0;
    let card = false;
    const looked = Promise.withResolvers<void>();
    const agent = await scripted(({ method, rpc, body }, says) => {
      if (method === 'GET' && !card) return says.text('', 404);
      if (method === 'GET') {
        looked.resolve();
        return says.json(card03('/', plain));
      }
      if (rpc?.method === 'message/send') return says.result(done03('a2a'));
      return says.json({
        task_id: (JSON.parse(body) as { task_id: string }).task_id,
        status: 'ok',
        output: 'simple',
      });
    });
    const provider = open(agent.url, {}, { type: 'auto', clock: { ...systemClock, monotonic: () => now } });
    expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'simple' });
    [card, now] = [true, 10 * 60_000];
    await call(provider, { text: 'hi' });
    await looked.promise;
    await expect.poll(async () => (await result(call(provider, { text: 'hi' })))['text']).toBe('a2a');
  });

  it.each([500, 503])(
    'is not guessed at where every address answers HTTP %i: the task is tried again',
    async (status) => {
      const agent = await scripted((_, says) => says.text('', status));
      const { data } = await failure(call(open(agent.url, {}, { type: 'auto' }), { text: 'hi' }));
      expect(data.error_code).toBe('GLZ2002');
      expect(agent.calls().filter((one) => one.startsWith('POST'))).toEqual([]);
    },
  );

  it('is looked at again soon where some of its addresses fail, and at once where a check finds it well', async () => {
    let now = 0;
    let ill = true;
    const agent = await scripted(({ method, rpc, path, body }, says) => {
      if (method === 'GET' && path !== '/.well-known/agent-card.json') return says.text('', 404);
      if (method === 'GET') return ill ? says.text('', 500) : says.json(card03('/', plain));
      if (rpc?.method === 'message/send') return says.result(done03('a2a'));
      const { task_id } = JSON.parse(body) as { task_id: string };
      return says.json({ task_id, status: 'ok', output: 'simple' });
    });
    const clock = { ...systemClock, monotonic: () => now };
    const [waits, asks] = [1, 2].map(() => open(agent.url, {}, { type: 'auto', clock }));
    const said = async (provider: typeof waits) =>
      provider && (await result(call(provider, { text: 'hi' })))['text'];
    expect([await said(waits), await said(asks)]).toEqual(['simple', 'simple']);
    ill = false;
    expect(await asks?.probe?.ask(new AbortController().signal)).toMatchObject({ well: true });
    expect(await said(asks)).toBe('a2a');
    now = 5000;
    await expect.poll(() => said(waits)).toBe('a2a');
  });

  it('goes on in A2A with what it began so', async () => {
    let carded = true;
    const agent = await scripted(({ method, rpc }, says) => {
      if (method === 'GET') return carded ? says.json(card03('/', plain)) : says.text('', 404);
      return says.result(rpc?.method === 'tasks/get' ? done03('went on') : task03('input-required'));
    });
    const { kept } = await waiting(call(open(agent.url, {}, { type: 'auto' }), { text: 'hi' }));
    carded = false;
    const next = call(open(agent.url, {}, { type: 'auto' }), { text: 'hi' }, { kept, response: 'a' });
    expect(await result(next)).toMatchObject({ text: 'went on' });
  });
});
