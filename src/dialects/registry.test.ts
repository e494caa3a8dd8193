import { describe, expect, it } from 'vitest';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { checkValue } from '../files/check.ts';
import type { Channel, ChannelCall } from '../rpc/channel.ts';
import {
  checkProvider,
  configSchemas,
  createProvider,
  type ProviderParts,
  providerTypes,
} from './registry.ts';

function setUp() {
  const opened: object[] = [];
  const calls: ChannelCall[] = [];
  const channel: Channel = {
    call: async (call) => {
      calls.push(call);
      return { result: 1 };
    },
    notify: async () => {},
    close: async () => {},
  };
  const open = (carrier: string) => (target: object) => {
    opened.push({ carrier, ...target });
    return channel;
  };
  const parts: ProviderParts = {
    channels: {
      http: open('http'),
      web: () => {
        throw new Error('no type here speaks HTTP as it likes');
      },
      websocket: open('websocket'),
      stdio: open('stdio'),
      post: () => () => Promise.reject(new Error('nobody asks for tokens here')),
      grpc: () => {
        throw new Error('nobody speaks gRPC here');
      },
      programs: () => {
        throw new Error('nobody starts programs here');
      },
      zone: () => {
        throw new Error('nobody crosses zones here');
      },
    },
    secrets: (name) => `value-of-${name}`,
    timers: systemTimers,
    clock: systemClock,
    methods: ['search', 'fetch', 'index'],
  };
  const create = (type: string, config: unknown) =>
    createProvider({ id: 'one', protocol: 'web/v1', type, config }, parts);
  const call = (provider: ReturnType<typeof create>, method: string, traceparent?: string) =>
    provider.call({
      method,
      params: { q: 1 },
      call_id: 'c1',
      task_id: 't1',
      workflow_id: null,
      attempt: 1,
      traceparent,
      signal: new AbortController().signal,
    });
  return { opened, calls, create, call };
}

function refusal(make: () => unknown) {
  try {
    make();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was refused');
}

describe('provider types', () => {
  it('are known by name; what starts a program comes from files only', () => {
    const types = [...providerTypes.values()];
    const started = types.filter(({ files_only }) => files_only).map(({ type }) => type);
    expect(started.toSorted()).toEqual([
      'container',
      'jsonrpc-stdio',
      'mcp-server',
      'process',
      'python',
      'v3',
    ]);
    expect(types.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['jsonrpc-http', 'rest', 'graphql']),
    );
    expect(Object.keys(configSchemas())).toEqual([...providerTypes.keys()]);
  });

  it('that are misspelt are answered with the nearest', () => {
    const { create } = setUp();
    expect(refusal(() => create('jsonrpc-htpp', {}))).toMatchObject({
      code: 'GLZ1012',
      details: { field: '/type', hint: 'did you mean "jsonrpc-http"?' },
    });
  });

  it('open their carrier with what they were told, and defaults for the rest', () => {
    const { create, opened } = setUp();
    create('jsonrpc-http', { url: 'http://127.0.0.1:1/rpc' });
    create('jsonrpc-http', {
      url: 'https://h/rpc',
      headers: { 'x-a': 'b' },
      connections: 4,
      tls: { ca: '/ca.pem' },
    });
    create('jsonrpc-ws', { url: 'wss://h/rpc' });
    create('jsonrpc-stdio', { command: ['node', 'agent.js'], env: { A: 'b' }, framing: 'lines' });
    expect(opened).toEqual([
      {
        carrier: 'http',
        url: 'http://127.0.0.1:1/rpc',
        headers: {},
        connections: 128,
        tls: null,
        credentials: null,
        hidden: expect.any(Function),
      },
      {
        carrier: 'http',
        url: 'https://h/rpc',
        headers: { 'x-a': 'b' },
        connections: 4,
        tls: { ca: '/ca.pem' },
        credentials: null,
        hidden: expect.any(Function),
      },
      {
        carrier: 'websocket',
        url: 'wss://h/rpc',
        headers: expect.any(Function),
        tls: null,
        credentials: null,
      },
      {
        carrier: 'stdio',
        command: ['node', 'agent.js'],
        cwd: null,
        env: expect.any(Function),
        framing: 'lines',
        limits: { max_message: 8 * 1024 * 1024 + 64 * 1024, max_depth: 128 },
      },
    ]);
  });

  it('say everything that is wrong with a configuration at once, and open nothing', () => {
    const { create, opened } = setUp();
    const wrong = { ur: 'x', timeout: [], headers: { a: 1, 'b c': 'x' }, connections: 0 };
    expect(refusal(() => create('jsonrpc-http', wrong))).toMatchObject({
      code: 'GLZ1012',
      details: {
        details: {
          problems: expect.arrayContaining([
            { field: '/config/url', reason: 'is missing' },
            { field: '/config/ur', reason: 'unknown key "ur"', hint: 'did you mean "url"?' },
            { field: '/config/headers/a', reason: 'must be string' },
            { field: '/config/headers/b c', reason: 'unknown key "b c"' },
            expect.objectContaining({ field: '/config/connections' }),
            expect.objectContaining({ field: '/config/timeout' }),
          ]),
        },
      },
    });
    expect(refusal(() => create('jsonrpc-http', null))).toMatchObject({ code: 'GLZ1012' });
    expect(opened).toEqual([]);
  });

  it.each([
    ['jsonrpc-http', { url: 'file:///etc/passwd' }, '/config/url'],
    ['jsonrpc-http', { url: 'ws://h' }, '/config/url'],
    ['jsonrpc-http', { url: 'http://[nonsense' }, '/config/url'],
    ['jsonrpc-ws', { url: 'http://h' }, '/config/url'],
    ['jsonrpc-ws', { url: 'wss://h', tls: { ac: 'x' } }, '/config/tls/ac'],
    ['jsonrpc-stdio', { command: [] }, '/config/command'],
    ['jsonrpc-stdio', { command: 'rm -rf /' }, '/config/command'],
    ['jsonrpc-stdio', { command: ['a'], framing: 'line' }, '/config/framing'],
    ['jsonrpc-http', { url: 'http://h', timeout: '5 parsecs' }, '/config/timeout'],
    ['jsonrpc-http', { url: 'http://h', timeout: 0 }, '/config/timeout'],
    ['jsonrpc-http', { url: 'http://h', headers: { a: 'x\r\ny: z' } }, '/config/headers/a'],
    ['jsonrpc-http', { url: 'http://h', headers: { a: '${env.X}' } }, '/config/headers/a'],
    ['jsonrpc-http', { url: 'http://h', methods: { serch: 'x' } }, '/config/methods/serch'],
    ['jsonrpc-http', { url: 'http://h', only: ['search', 'ftech'] }, '/config/only/1'],
  ])('refuse %s with %j', (type, config, field) => {
    const { create, opened } = setUp();
    const expected = { code: 'GLZ1012', details: { field } };
    expect(refusal(() => create(type, config))).toMatchObject(expected);
    expect(opened).toEqual([]);
    const spec = { id: 'one', protocol: 'web/v1', type, config };
    expect(refusal(() => checkProvider(spec, { methods: ['search'] }))).toMatchObject(expected);
  });

  it('can be checked without anything being opened', () => {
    const config = { url: 'http://h', headers: { a: '${secrets.any}' }, timeout: '5s' };
    const spec = { id: 'one', protocol: 'web/v1', type: 'jsonrpc-http', config };
    expect(() => checkProvider(spec, { methods: ['search'] })).not.toThrow();
  });

  it('have schemas that readers of files can check with', () => {
    for (const [type, schema] of Object.entries(configSchemas())) {
      const found: unknown[] = [];
      const value = { url: 'ftp://h', command: 'x', timeout: 'soon', hedaers: {} };
      checkValue(schema, value, ['config'], { report: (finding) => found.push(finding.path.join('.')) });
      const own = type === 'jsonrpc-stdio' ? 'config.command' : 'config.url';
      expect(found).toEqual(expect.arrayContaining([own, 'config.timeout', 'config.hedaers']));
    }
  });

  it('call methods by the names the service has for them', async () => {
    const { create, call, calls } = setUp();
    const config = { url: 'http://h', methods: { search: 'web.search' }, method_prefix: 'v2_' };
    const provider = create('jsonrpc-http', config);
    await call(provider, 'search');
    await call(provider, 'fetch');
    expect(calls.map(({ method }) => method)).toEqual(['web.search', 'v2_fetch']);
    expect(provider.hasMethod('index')).toBe(true);
    const only = create('jsonrpc-http', { url: 'http://h', only: ['search'] });
    expect(['search', 'fetch'].map((method) => only.hasMethod(method))).toEqual([true, false]);
  });

  it('send secrets and trace context with each call where the carrier has headers for it', async () => {
    const { create, call, calls, opened } = setUp();
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { authorization: 'Bearer ${secrets.key}', 'x-a': 'b' };
    const secret = create('jsonrpc-http', { url: 'http://h', headers });
    const plain = create('jsonrpc-http', { url: 'http://h', headers: { 'x-a': 'b' } });
    const duplex = create('jsonrpc-ws', { url: 'ws://h', headers });
    for (const provider of [secret, plain, duplex]) {
      await call(provider, 'search');
      await call(provider, 'search', trace);
    }
    const filled = { authorization: 'Bearer value-of-key', 'x-a': 'b' };
    expect(calls.map((made) => made.headers)).toEqual([
      filled,
      { ...filled, traceparent: trace },
      undefined,
      { traceparent: trace },
      undefined,
      undefined,
    ]);
    expect(opened[0]).toMatchObject({ headers: {} });
    expect((opened[2] as { headers: () => object }).headers()).toEqual(filled);
    for (const { id, params } of calls) expect([id, params]).toEqual(['c1', { q: 1 }]);
  });
});
