import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import {
  call,
  card03,
  card10,
  closeAll,
  done03,
  done10,
  failure,
  open,
  result,
  type Says,
  scripted,
  task10,
} from './testing/agent.suite.ts';

afterEach(closeAll);

const plain = { capabilities: {} };
type Rpc = { readonly method: string; readonly params: JsonObject };

/** Shows a card and answers calls as told. */
function agentOf(card: JsonObject | null, answer: (rpc: Rpc, says: Says) => unknown) {
  return scripted(({ rpc }, says) => {
    if (rpc !== null) return answer(rpc, says);
    return card === null ? says.text('', 404) : says.json(card);
  });
}

const speaks10 = ({ method }: Rpc, says: Says) =>
  method === 'SendMessage' ? says.result(done10('new')) : says.error(-32601, 'Method not found');
const speaks03 = ({ method }: Rpc, says: Says) =>
  method === 'message/send' ? says.result(done03('old')) : says.error(-32601, 'Method not found');

describe('the version that is spoken', () => {
  it('A3 is told as A2A-Version 1.0 with every request of it, and with none of 0.3', async () => {
    let asked = 0;
    const agent = await agentOf(card10('/', { ...plain, version: '1.0.1' }), ({ method }, says) => {
      if (method === 'SendMessage') return says.result(task10('WORKING'));
      return ++asked < 3
        ? says.result(task10('WORKING')['task'] ?? null)
        : says.result(done10('new')['task'] ?? null);
    });
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'new' });
    const posts = agent.got.filter(({ rpc }) => rpc !== null);
    expect(posts.map(({ rpc, headers }) => [rpc?.method, headers['a2a-version']])).toEqual([
      ['SendMessage', '1.0'],
      ['GetTask', '1.0'],
      ['GetTask', '1.0'],
      ['GetTask', '1.0'],
    ]);
    const old = await agentOf(card03('/', plain), speaks03);
    await result(call(open(old.url), { text: 'hi' }));
    expect(old.got.at(-1)?.headers['a2a-version']).toBeUndefined();
  });

  it('A4 is changed exactly once where the agent knows neither method nor version, and remembered', async () => {
    for (const code of [-32601, -32009]) {
      const refuse = ({ method }: Rpc, says: Says) =>
        method === 'SendMessage' ? says.error(code, 'what?') : says.result(done03('old'));
      const agent = await agentOf(card10('/', plain), refuse);
      const provider = open(agent.url);
      expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'old' });
      expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'old' });
      expect(agent.calls().slice(1)).toEqual(['SendMessage', 'message/send', 'message/send']);
    }
  });

  it('A4 is not changed a second time: an agent that knows neither is told of by its first words', async () => {
    const agent = await agentOf(card10('/', plain), ({ method }, says) => says.error(-32601, `no ${method}`));
    const { message, data } = await failure(call(open(agent.url), { text: 'hi' }));
    expect([message, data.error_code]).toEqual(['JSON-RPC Error -32601: no SendMessage', 'GLZ2010']);
    expect(agent.calls().slice(1)).toEqual(['SendMessage', 'message/send']);
  });

  it.each([
    ['an error of its own', (says: Says) => says.error(-32603, 'broken')],
    ['trouble with params', (says: Says) => says.error(-32602, 'bad params')],
    ['HTTP 500', (says: Says) => says.text('oh', 500)],
    ['a cut', (says: Says) => says.cut()],
  ])('A4 is not changed after %s: the message may have been taken', async (_, refuse) => {
    const agent = await agentOf(card10('/', plain), (_rpc, says) => refuse(says));
    await failure(call(open(agent.url), { text: 'hi' }));
    expect(agent.calls().slice(1)).toEqual(['SendMessage']);
  });

  it('A4 is changed where nothing is at the address of 1.0', async () => {
    const listed = { ...card10('/v1', plain), url: '/', protocolVersion: '0.3.0' };
    const supportedInterfaces = [
      { url: '/v1', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: '/', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ];
    const agent = await scripted(({ rpc, path }, says) => {
      if (rpc === null) return says.json({ ...listed, supportedInterfaces });
      return path === '/v1' ? says.text('', 404) : speaks03(rpc, says);
    });
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'old' });
    expect(agent.got.slice(1).map(({ path }) => path)).toEqual(['/v1', '/']);
  });

  it('A5 is found out where the card says the wrong one, either way', async () => {
    const says03 = await agentOf(card03('/', plain), speaks10);
    expect(await result(call(open(says03.url), { text: 'hi' }))).toMatchObject({ text: 'new' });
    const says10 = await agentOf(card10('/', plain), speaks03);
    expect(await result(call(open(says10.url), { text: 'hi' }))).toMatchObject({ text: 'old' });
    const none = await agentOf(null, speaks10);
    expect(await result(call(open(none.url), { text: 'hi' }))).toMatchObject({ text: 'new' });
  });

  it('A5 is found out for streams as well', async () => {
    const agent = await agentOf(card03('/'), ({ method }, says) => {
      if (method !== 'SendStreamingMessage') return says.error(-32601, 'Method not found');
      says.events(done10('new'));
      return says.end();
    });
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'new' });
    expect(agent.calls().slice(1)).toEqual(['message/stream', 'SendStreamingMessage']);
  });

  it('is 0.3 without a card, and at once where no card is to be looked for', async () => {
    const agent = await agentOf(null, speaks03);
    await result(call(open(agent.url, { card: 'none' }), { text: 'hi' }));
    expect(agent.calls()).toEqual(['message/send']);
  });

  it('is the one that was configured, whatever the card says, and no other', async () => {
    const agent = await agentOf(card10('/', plain), speaks10);
    await failure(call(open(agent.url, { a2a_version: '0.3' }), { text: 'hi' }));
    expect(agent.calls().slice(1)).toEqual(['message/send']);
  });

  it('is told apart from a stream that is not there: the message is sent without one', async () => {
    const agent = await agentOf(card03('/'), speaks03);
    const provider = open(agent.url);
    expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'old' });
    expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'old' });
    const streams = ['message/stream', 'SendStreamingMessage'];
    expect(agent.calls().slice(1)).toEqual([...streams, 'message/send', 'message/send']);
    const says = await agentOf(card10('/'), (rpc, told) =>
      rpc.method === 'SendStreamingMessage' ? told.error(-32004, 'no streams') : speaks10(rpc, told),
    );
    expect(await result(call(open(says.url), { text: 'hi' }))).toMatchObject({ text: 'new' });
  });

  it('takes a name of the agent’s own for its method', async () => {
    const agent = await agentOf(card03('/'), ({ method }, says) =>
      method === 'agent/run' ? says.result(done03('own')) : says.error(-32601, 'Method not found'),
    );
    expect(await result(call(open(agent.url, { method: 'agent/run' }), { text: 'hi' }))).toMatchObject({
      text: 'own',
    });
    expect(
      await result(
        call(
          open((await agentOf(card10('/', plain), speaks10)).url, { method: 'message/send', version: '2.0' }),
          { text: 'hi' },
        ),
      ),
    ).toMatchObject({ text: 'new' });
  });
});

it('A6 the tenant of the interface stands in every request', async () => {
  const url = '/';
  const card = {
    ...card10(url, plain),
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 'acme' }],
  };
  let asked = 0;
  const agent = await agentOf(card, (_, says) =>
    says.result(++asked === 1 ? task10('WORKING') : done10('new')),
  );
  await result(call(open(agent.url), { text: 'hi' }));
  const posts = agent.got.flatMap(({ rpc }) => (rpc === null ? [] : [[rpc.method, rpc.params['tenant']]]));
  expect(posts).toEqual([
    ['SendMessage', 'acme'],
    ['GetTask', 'acme'],
  ]);
});

describe('A17 an extension that callers must know', () => {
  const extensions = [
    { uri: 'https://example.org/ext/must', required: true },
    { uri: 'https://example.org/ext/may', required: false },
  ];
  it('A17 is refused by its name where it is not switched on, and nothing is sent', async () => {
    const agent = await agentOf(card10('/', { capabilities: { extensions } }), speaks10);
    const { message, data } = await failure(call(open(agent.url), { text: 'hi' }));
    expect(data).toMatchObject({ error_code: 'GLZ2010', hint: expect.stringContaining('extensions') });
    expect(message).toContain('https://example.org/ext/must');
    expect(message).not.toContain('may');
    expect(agent.calls()).toHaveLength(1);
  });

  it.each([
    ['1.0', card10('/', { capabilities: { extensions } }), speaks10, 'a2a-extensions'],
    ['0.3', card03('/', { capabilities: { extensions } }), speaks03, 'x-a2a-extensions'],
  ])('A17 is told in the header of %s where it is switched on', async (_, card, answer, header) => {
    const agent = await agentOf(card, answer);
    await result(call(open(agent.url, { extensions: ['https://example.org/ext/must'] }), { text: 'hi' }));
    expect(agent.got.at(-1)?.headers[header]).toBe('https://example.org/ext/must');
  });
});
