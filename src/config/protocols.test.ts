import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { load, mistakes } from './testing.suite.ts';

describe('protocols', () => {
  const methods = 'methods: {go: {params: {x: {type: string, required: true}}}}';

  it.each([
    ['a list', `protocols: [{name: a/v1, title: A, ${methods}, providers: [{type: ollama}]}]`],
    [
      'a mapping from names, where name is for people',
      `protocols: {a/v1: {name: A, ${methods}, providers: [{type: ollama}]}}`,
    ],
    [
      'a definition apart',
      `protocols: [{protocol: {name: a/v1, title: A, ${methods}}, providers: [{type: ollama}]}]`,
    ],
  ])('are written as %s', async (_, text) => {
    const [protocol] = (await load(text)).protocols;
    expect(protocol).toMatchObject({
      name: 'a/v1',
      inline: true,
      definition: {
        name: 'a/v1',
        title: 'A',
        version: 'v1',
        methods: { go: { params: { required: ['x'] } } },
      },
      providers: [{ id: 'ollama-1', type: 'ollama', config: {} }],
    });
  });

  it('need no providers', async () => {
    expect((await load(`protocols: [{name: a/v1, ${methods}}]`)).protocols[0]?.providers).toEqual([]);
  });

  it('are asked what else is wrong with them, and the answer gets its place', async () => {
    const check_protocol = () => {
      throw new GleitzeitError('GLZ1008', 'no', {
        field: '/methods/go/params',
        reason: 'cannot be compiled',
        hint: 'why',
      });
    };
    expect(await mistakes(`protocols:\n  - name: a/v1\n    ${methods}`, { check_protocol })).toEqual([
      'gleitzeit.yaml:3:28  protocols[0].methods.go.params: cannot be compiled',
    ]);
    const broken = () => {
      throw new TypeError('boom');
    };
    expect(await mistakes(`protocols: [{name: a/v1, ${methods}}]`, { check_protocol: broken })).toEqual([
      'gleitzeit.yaml:1:13  protocols[0]: boom',
    ]);
  });
});

describe('a protocol that extends another', () => {
  const go = 'methods: {go: {}}';
  const entry = (name: string, base: string, rest = '') =>
    `  - {name: ${name}, extends: ${base}, ${go}${rest}}\n`;

  it('lends the methods of that to its providers, wherever it stands', async () => {
    const asked: unknown[] = [];
    const check_provider = (_: unknown, methods: readonly string[]) => void asked.push(methods.toSorted());
    const text = `protocols:\n${entry('b/v1', 'c/v1', ', providers: [{type: ollama}]')}  - {name: c/v1, methods: {stop: {}}}`;
    await load(text, { check_provider });
    expect(asked).toEqual([['go', 'stop']]);
  });

  it('is refused where that goes in a circle', async () => {
    const text = `protocols:\n${entry('a/v1', 'b/v1')}${entry('b/v1', 'a/v1')}${entry('c/v1', 'c/v1')}${entry('d/v1', 'x/v1')}`;
    expect(await mistakes(text)).toEqual([
      'gleitzeit.yaml:2:27  protocols[0].extends: goes in a circle: a/v1 → b/v1 → a/v1',
      'gleitzeit.yaml:3:27  protocols[1].extends: goes in a circle: b/v1 → a/v1 → b/v1',
      'gleitzeit.yaml:4:27  protocols[2].extends: goes in a circle: c/v1 → c/v1',
    ]);
  });
});

describe('providers', () => {
  it('without an id are numbered by type, past the ids that are taken', async () => {
    const text = `protocols:
  - name: llm/v1
    providers: [{type: ollama}, {type: openai}, {type: ollama, id: ollama-2}, {type: ollama}]
  - {name: mcp/v1, providers: [{type: ollama}]}`;
    const config = await load(text);
    expect(config.protocols.flatMap(({ providers }) => providers.map(({ id }) => id))).toEqual([
      'ollama-1',
      'openai-1',
      'ollama-2',
      'ollama-3',
      'ollama-4',
    ]);
  });

  it('get their config checked: defaults, units, paths', async () => {
    const text =
      'protocols: [{name: llm/v1, providers: [{type: http, config: {url: "http://x", timeout: 2m, cwd: agents}}]}]';
    expect((await load(text)).protocols[0]?.providers[0]?.config).toEqual({
      url: 'http://x',
      timeout: 120,
      cwd: '/etc/app/agents',
      retries: 2,
    });
  });

  it('are taken as they are where nobody knows the types', async () => {
    const text = 'protocols: [{name: llm/v1, providers: [{type: whatever, config: {a: 1}}]}]';
    const { protocols } = await load(text, { provider_types: undefined });
    expect(protocols[0]?.providers[0]).toEqual({ id: 'whatever-1', type: 'whatever', config: { a: 1 } });
  });

  it('are asked what else is wrong with them, once they are right in themselves', async () => {
    const asked: unknown[] = [];
    const check_provider = (provider: { readonly id: string }, methods: readonly string[]) => {
      asked.push([provider.id, methods]);
      throw new GleitzeitError('GLZ1012', 'no', {
        details: { problems: [{ field: '/config/url', reason: 'has no such method', hint: 'x' }] },
      });
    };
    const text =
      'protocols:\n  - name: llm/v1\n    providers: [{type: http, config: {url: "http://x"}}, {type: http}]';
    expect(await mistakes(text, { check_provider })).toEqual([
      'gleitzeit.yaml:3:44  protocols[0].providers[0].config.url: has no such method',
      'gleitzeit.yaml:3:58  protocols[0].providers[1].config.url: is missing',
    ]);
    expect(asked).toEqual([['http-1', ['any']]]);
  });
});
