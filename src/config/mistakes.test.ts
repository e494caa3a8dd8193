import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { load, mistakes, rendered } from './testing.suite.ts';

const http = 'protocols:\n  - name: llm/v1\n    providers:\n      - type: http\n        config: ';
const hash = 'a'.repeat(64);

describe('mistakes', () => {
  it.each([
    ['server:\n  port: eighty', '2:9  server.port: must be a whole number from 0 to 65535, found "eighty"'],
    ['servr: {}', '1:1  servr: unknown key "servr"'],
    ['- 1', '1:1  must be a mapping (key: value), found a list'],
    ['port:8000', '1:1  must be a mapping (key: value), found "port:8000"'],
    ['constructor: 1', '1:1  "constructor" cannot be a key'],
    [
      'logging: {level: loud}',
      '1:18  logging.level: must be one of debug, info, warn, error, silent, found "loud"',
    ],
    ['store: {type: mysql}', '1:15  store.type: must be one of sqlite, postgres, found "mysql"'],
    ['store: {type: postgres}', '1:1  store.url: is missing'],
    [
      'store: {type: postgres, url: "mysql://x"}',
      '1:30  store.url: must be an address that begins with postgres://',
    ],
    ['store: {path: ":memory:"}', '1:15  store.path: must be the path of a file, found ":memory:"'],
    ['store: {url: "postgres://x", schema: My-Schema}', 'store.schema: must be small letters, digits and _'],
    ['engine: {lease_ttl: 1ms}', '1:21  engine.lease_ttl: must be a duration such as 30s from 100ms to 1h'],
    ['server: {limits: {body: 8 megs}}', '1:25  server.limits.body: must be a size such as 8MiB'],
    ['retention: {days: -1}', '1:19  retention.days: must be a number from 0 to 36500, found -1'],
    ['server: {allowed_origins: ["example.org"]}', 'must be an origin such as https://example.org'],
    ['network: {allow: [10.0.0.0/33]}', 'network.allow[0]: is neither a network nor an address'],
    ['network: {allow: ["example.org:80"]}', 'network.allow[0]: is neither a network nor an address'],
    [
      'network: {allow: ["a b"]}',
      'network.allow[0]: must be a network such as 10.1.0.0/16, an address, or a name',
    ],
    ['workflows: [a, a]', '1:16  workflows[1]: stands twice in this list'],
    [
      'server: {host: 0.0.0.0}',
      '1:16  server.host: can be reached from other machines, and there are no keys, found "0.0.0.0"',
    ],
    [
      'server: {host: example.org}',
      '1:16  server.host: can be reached from other machines, and there are no keys, found "example.org"',
    ],
    [
      'server: {host: "::"}',
      '1:16  server.host: can be reached from other machines, and there are no keys, found "::"',
    ],
    [
      'server:\n  tls: {cert: no.pem, key: no.key}',
      '2:15  server.tls.cert: cannot be read: there is no such file',
    ],
    ['server: {keys: [{name: a, role: root}]}', '1:17  server.keys[0].hash: is missing'],
    [
      'server: {keys: [{name: a, role: root}]}',
      'server.keys[0].role: must be one of viewer, operator, admin, bridge, found "root"',
    ],
    [
      `server:\n  keys:\n    - {name: a, role: admin, hash: ${hash}}\n    - {name: a, role: viewer, hash: ${hash}}`,
      '4:14  server.keys[1].name: a key of the name "a" stands twice',
    ],
    ['protocols: 3', '1:12  protocols: must be a list or a mapping (key: value), found 3'],
    ['protocols: [{name: llm/v2}]', '1:20  protocols[0].name: no protocol "llm/v2" is known'],
    ['protocols: [{providers: []}]', '1:13  protocols[0].name: is missing'],
    ['protocols: [{name: llm/v1, provider: []}]', '1:28  protocols[0].provider: unknown key "provider"'],
    [
      'protocols: [{name: llm/v1, description: mine}]',
      'protocols[0].methods: methods are missing beside description',
    ],
    [
      'protocols: [{name: llm/v1}, {name: llm/v1}]',
      '1:36  protocols[1].name: the protocol "llm/v1" stands twice',
    ],
    ['protocols: [{name: "1", methods: {}}]', '1:20  protocols[0].name: "1" cannot name a protocol'],
    ['protocols: [{name: x, methods: {}}]', '1:13  protocols[0].version: is missing'],
    [
      'protocols:\n  - name: a/v1\n    methods:\n      go:\n        parms: {}',
      '5:9  protocols[0].methods.go.parms: unknown key "parms"',
    ],
    [
      'protocols:\n  - name: a/v1\n    methods:\n      go: {examples: [{params: {}}, 3]}',
      '4:22  protocols[0].methods.go.examples: must hold objects with params',
    ],
    ['protocols: {a/v1: {methods: {1x: {}}}}', '1:30  protocols["a/v1"].methods["1x"]: cannot name a method'],
    [
      'protocols:\n  - {name: b/v1, protocol: {name: a/v1, methods: {}}}',
      '2:12  protocols[0].name: must be "a/v1", as under protocol, found "b/v1"',
    ],
    [
      'protocols:\n  - {version: 1.0, protocol: {name: a/v1, methods: {}}}',
      'protocols[0].version: must be text that is not empty, found 1',
    ],
    [
      'protocols:\n  - {title: x, protocol: {name: a/v1, methods: {}}}',
      '2:6  protocols[0].title: belongs into the definition under protocol',
    ],
    [`${http}{}`, '5:9  protocols[0].providers[0].config.url: is missing'],
    [
      `${http}{url: "http://x", timeot: 1}`,
      '5:35  protocols[0].providers[0].config.timeot: unknown key "timeot"',
    ],
    [
      `${http}{url: "http://x", timeout: soon}`,
      '5:44  protocols[0].providers[0].config.timeout: must be a duration',
    ],
    [
      `${http.replace('http', 'htpt')}{}`,
      '4:15  protocols[0].providers[0].type: there is no provider type "htpt"',
    ],
    ['protocols: [{name: llm/v1, providers: [{id: a}]}]', '1:40  protocols[0].providers[0].type: is missing'],
    [
      'protocols: [{name: llm/v1, providers: [{id: "a b", type: http}]}]',
      'providers[0].id: must be up to 128 letters',
    ],
    [
      'protocols: [{name: llm/v1, providers: [{id: __proto__, type: http}]}]',
      'and -, a letter or digit first, found "__proto__"',
    ],
    [
      'protocols:\n  - {name: llm/v1, providers: [{id: a, type: ollama}]}\n  - {name: mcp/v1, providers: [{id: a, type: ollama}]}',
      '3:37  protocols[1].providers[0].id: the provider id "a" stands twice',
    ],
    ['secrets: {a: plain}', '1:14  secrets.a: a secret does not stand in the configuration itself'],
    ['secrets: {a: {env: NOPE}}', '1:20  secrets.a.env: the environment variable NOPE is not set'],
    ['secrets: {a: {file: none}}', '1:21  secrets.a.file: cannot be read: there is no such file'],
    ['secrets: {a: {from: x}}', 'secrets.a.env: is missing'],
    ['secrets: {"1": {env: X}}', '1:11  secrets["1"]: unknown key "1"'],
    [
      `${http}{url: "http://x", headers: {a: "\${secrets.nope}"}}`,
      '5:49  protocols[0].providers[0].config.headers.a: there is no secret "nope"',
    ],
    ['server:\n  host: "${HOST}"', '2:10  server.host: the environment variable HOST is not set'],
    ['server:\n  host: "a ${HOST b"', '2:12  server.host: a closing } is missing after ${'],
    ['server:\n  host: "${A B}"', '2:10  server.host: ${A B} cannot be read'],
    ['server:\n  host: "${A:-${B}}"', '2:10  server.host: a default cannot hold another ${…}'],
    ['server: {host: "${params.q}"}', '1:17  server.host: nothing fills in ${params.q} here'],
    ['server: {host: "${secrets.q}"}', '1:17  server.host: there is no secret "q"'],
  ])('%j', async (text, mistake) => {
    const found = await mistakes(text);
    expect(found).toContainEqual(expect.stringContaining(mistake));
    expect(found[0]).toMatch(/^gleitzeit\.yaml:\d+:\d+ {2}/);
  });

  it('are told all at once, in the order of the file', async () => {
    const text =
      'stoer: 1\nserver: {prot: 1, host: 0.0.0.0}\nprotocols: [{name: llm/v7}, {name: llm/v1, providers: [{type: olama}]}]\n';
    expect((await mistakes(text)).map((line) => line.replace(/^.*?:(\d+:\d+) .*$/, '$1'))).toEqual([
      '1:1',
      '2:10',
      '3:20',
      '3:63',
    ]);
  });

  it('say what a hash is where a page leaves it open', async () => {
    const page = readFileSync(new URL('../../docs/how-to/execution-zone.md', import.meta.url), 'utf8');
    const [, example = ''] = /```yaml\n(server:\n {2}host: 0\.0\.0\.0\n[\s\S]*?)```/.exec(page) ?? [];
    expect(await rendered(example)).toContain(
      'server.keys[0].hash: must be the SHA-256 of the key in hex, never the key itself',
    );
  });

  it('never repeat what stands under a secret name', async () => {
    const text = [
      'server:',
      '  keys: [{name: a, role: admin, hash: glz_a_verysecret}]',
      'protocols:',
      '  - {name: llm/v1, providers: [{type: http, config: {url: "http://x", api_key: sk-verysecret}}]}',
    ].join('\n');
    const shown = await rendered(text);
    expect(shown).toContain('never the key itself');
    expect(shown).toContain('unknown key "api_key"');
    expect(shown).not.toContain('verysecret');
  });
});

describe('the address', () => {
  const open = `keys: [{name: a, role: admin, hash: ${hash}}]`;

  it.each([
    '127.0.0.1',
    '127.8.9.1',
    'localhost',
    'a.localhost',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ])('%s is this machine', async (host) => {
    expect((await load(`server: {host: "${host}"}`)).warnings).toEqual([]);
  });

  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '::',
    'example.org',
    '128.0.0.1',
    '::2',
    '127.0.0.1.example.org',
    'fe80::1',
  ])('%s is reached from others, and keys without TLS are worth a warning', async (host) => {
    expect((await load(`server: {host: "${host}", ${open}}`)).warnings).toEqual([
      expect.stringContaining('without TLS'),
    ]);
    expect(await mistakes(`server: {host: "${host}"}`)).toHaveLength(1);
  });
});
