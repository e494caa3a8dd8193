import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { systemClock } from '../../embedded/system.ts';
import {
  call,
  card03,
  card10,
  closeAll,
  done03,
  done10,
  failure,
  type Got,
  open,
  result,
  type Says,
  scripted,
} from './testing/agent.suite.ts';

afterEach(closeAll);

/** Has its card at one path, and answers calls at another, in the version they are made in. */
function agentWith(cards: Readonly<Record<string, (base: string) => JsonObject>>, endpoint = '/') {
  return scripted(({ rpc, path, headers }: Got, says: Says) => {
    const card = cards[path];
    if (rpc === null)
      return card === undefined ? says.text('no', 404) : says.json(card(`http://${headers['host']}`));
    if (path !== endpoint) return says.text('not here', 404);
    return says.result(rpc.method === 'SendMessage' ? done10('new') : done03('old'));
  });
}

const well = '/.well-known/agent-card.json';
const older = '/.well-known/agent.json';
const plain = { capabilities: {} };

describe('A1 the card of an agent', () => {
  it('A1 is looked for at agent-card.json, then at agent.json, then at the address itself', async () => {
    const agent = await agentWith({ '/': (base) => card10(`${base}/`, plain) });
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'new' });
    expect(agent.calls()).toEqual([`GET ${well}`, `GET ${older}`, 'GET /', 'SendMessage']);
    const old = await agentWith({ [older]: (base) => card03(`${base}/`, plain) });
    expect(await result(call(open(old.url), { text: 'hi' }))).toMatchObject({ text: 'old' });
    expect(old.calls()).toEqual([`GET ${well}`, `GET ${older}`, 'message/send']);
  });

  it('A1 keeps the path of a base address, with and without a slash at its end', async () => {
    for (const base of ['/team/one', '/team/one/']) {
      const agent = await agentWith(
        { [`/team/one${well}`]: (host) => card10(`${host}/team/one/rpc`, plain) },
        '/team/one/rpc',
      );
      expect(await result(call(open(`${agent.url}${base}`), { text: 'hi' }))).toMatchObject({ text: 'new' });
      expect(agent.calls()).toEqual([`GET /team/one${well}`, 'SendMessage']);
    }
  });

  it('A1 may be what the address names', async () => {
    const agent = await agentWith({ '/cards/x.json': (host) => card10(`${host}/rpc`, plain) }, '/rpc');
    const named = open(`${agent.url}/cards/x.json`);
    expect(await result(call(named, { text: 'hi' }))).toMatchObject({ text: 'new' });
    const apart = open(`${agent.url}/rpc`, { card: '/cards/x.json' });
    expect(await result(call(apart, { text: 'hi' }))).toMatchObject({ text: 'new' });
    expect(agent.calls()).toEqual(['GET /cards/x.json', 'SendMessage', 'GET /cards/x.json', 'SendMessage']);
  });

  it('A1 at the root of the host is taken only if it leads to the address that was given', async () => {
    const mine = await agentWith({ [well]: (host) => card10(`${host}/a2a/jsonrpc`, plain) }, '/a2a/jsonrpc');
    expect(await result(call(open(`${mine.url}/a2a/jsonrpc`), { text: 'hi' }))).toMatchObject({
      text: 'new',
    });
    const others = await agentWith(
      { [well]: (host) => card10(`${host}/somebody/else`, plain) },
      '/a2a/jsonrpc',
    );
    expect(await result(call(open(`${others.url}/a2a/jsonrpc`), { text: 'hi' }))).toMatchObject({
      text: 'old',
    });
  });

  it('A1 that is a page, or some other JSON, is none', async () => {
    const agent = await scripted(({ rpc, path }, says) => {
      if (rpc !== null) return says.result(done03('old'));
      if (path === well) return says.text('<h1>It works!</h1>', 200, { 'content-type': 'text/html' });
      return says.json({ status: 'ok' });
    });
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'old' });
  });

  it('is asked for once more without the header where an agent takes the version for a mistake', async () => {
    const agent = await scripted(({ rpc, headers }, says) => {
      if (rpc !== null) return says.result(done03('old'));
      if (headers['a2a-version'] !== undefined) return says.error(-32009, 'no such version');
      return says.json(card03('/rpc', plain));
    });
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'old' });
    expect(agent.got.map(({ path }) => path)).toEqual([well, well, '/rpc']);
  });

  it('leads to the address it came from where the agent knows itself by another name of this machine', async () => {
    const agent = await scripted(({ rpc, path, headers }, says) => {
      const port = String(headers['host']).split(':')[1];
      if (rpc === null) return says.json(card10(`http://0.0.0.0:${port}/rpc`, plain));
      return path === '/rpc' ? says.result(done10(String(headers['host']))) : says.text('', 404);
    });
    const { host } = new URL(agent.url);
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: host });
  });

  it('is asked for once for many calls, and again with its ETag when it is no longer fresh', async () => {
    let now = 0;
    let asked = Promise.withResolvers<void>();
    const agent = await scripted(({ rpc, headers }, says) => {
      if (rpc !== null) return says.result(done10('new'));
      asked.resolve();
      if (headers['if-none-match'] === '"one"') return says.text('', 304);
      return says.json(card10('/', plain), 200, { etag: '"one"', 'cache-control': 'max-age=60' });
    });
    const provider = open(agent.url, {}, { clock: { ...systemClock, monotonic: () => now } });
    await Promise.all([1, 2, 3].map((n) => result(call(provider, { text: String(n) }))));
    expect(agent.calls().filter((one) => one.startsWith('GET'))).toHaveLength(1);
    now = 61_000;
    asked = Promise.withResolvers<void>();
    await result(call(provider, { text: '4' }));
    await asked.promise;
    const gets = agent.got.filter(({ rpc }) => rpc === null);
    expect(gets.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"']);
  });

  it('is not waited for by calls while it is asked for again, and the old one holds where nobody answers', async () => {
    let now = 0;
    let silent = false;
    const asked = Promise.withResolvers<void>();
    const agent = await scripted(({ rpc }, says) => {
      if (rpc !== null) return says.result(done10('new'));
      if (silent) return asked.resolve();
      return says.json(card10('/', plain));
    });
    const provider = open(agent.url, {}, { clock: { ...systemClock, monotonic: () => now } });
    await result(call(provider, { text: 'one' }));
    [now, silent] = [6 * 60_000, true];
    expect(await result(call(provider, { text: 'two' }))).toMatchObject({ text: 'new' });
    await asked.promise;
    expect(await result(call(provider, { text: 'three' }))).toMatchObject({ text: 'new' });
  });

  it('that could not be had is what a call fails for that then finds nothing at the address', async () => {
    const agent = await scripted(({ rpc }, says) => (rpc === null ? says.text('', 503) : says.text('', 404)));
    const { data, message } = await failure(call(open(agent.url), { text: 'hi' }));
    expect([data.error_code, message]).toEqual(['GLZ2002', expect.stringContaining('HTTP 503')]);
  });
});

describe('A2 the version of a card', () => {
  const versions: [string, (base: string) => JsonObject, string][] = [
    ['0.2.5', (base) => card03(base, { ...plain, protocolVersion: '0.2.5' }), 'message/send'],
    ['0.2.6', (base) => card03(base, { ...plain, protocolVersion: '0.2.6' }), 'message/send'],
    ['0.3.0', (base) => card03(base, plain), 'message/send'],
    ['none at all', (base) => ({ name: 'old', url: base, skills: [] }), 'message/send'],
    ['1.0', (base) => card10(base, plain), 'SendMessage'],
    [
      'both, one beside the other',
      (base) => ({ ...card03(base, plain), ...card10(base, plain) }),
      'SendMessage',
    ],
    [
      'both in its list, the older first',
      (url) => ({
        ...card10(url, plain),
        supportedInterfaces: ['0.3', '1.0'].map((protocolVersion) => ({
          url,
          protocolBinding: 'JSONRPC',
          protocolVersion,
        })),
      }),
      'SendMessage',
    ],
    [
      '0.3 in its list alone',
      (url) => ({
        ...card10(url, plain),
        supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
      }),
      'message/send',
    ],
  ];
  it.each(versions)('A2 %s decides the wire', async (_, card, method) => {
    const agent = await agentWith({ [well]: (base) => card(`${base}/`) });
    await result(call(open(agent.url), { text: 'hi' }));
    expect(agent.calls()).toEqual([`GET ${well}`, method]);
  });

  it('A2 of an agent without JSON-RPC says so', async () => {
    const card = (url: string) => card03(url, { preferredTransport: 'GRPC', ...plain });
    const agent = await agentWith({ [well]: card });
    const { message, data } = await failure(call(open(agent.url), { text: 'hi' }));
    expect([data.error_code, message]).toEqual(['GLZ2010', expect.stringContaining('GRPC')]);
    const both = await agentWith(
      {
        [well]: (base) =>
          card03('grpc://x', {
            preferredTransport: 'GRPC',
            additionalInterfaces: [{ url: `${base}/rpc`, transport: 'JSONRPC' }],
            ...plain,
          }),
      },
      '/rpc',
    );
    expect(await result(call(open(both.url), { text: 'hi' }))).toMatchObject({ text: 'old' });
  });
});
