import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeConfig, secretTexts } from './describe.ts';
import { openSecret } from './secret.ts';
import { load, mistakes, rendered, testFolder } from './testing.suite.ts';

const secretFile = (text: string, mode = 0o600) => {
  const file = join(testFolder(), 'secret');
  writeFileSync(file, text, { mode });
  chmodSync(file, mode);
  return file;
};

describe('secrets', () => {
  it('come from variables and from files that only their owner reads', async () => {
    const text = `secrets: {a: {env: A}, b: {file: "${secretFile('from file\n')}"}, c: "\${A}"}`;
    const { secrets } = await load(text, { env: { A: 'from env' } });
    expect(openSecret(secrets, 'a')).toBe('from env');
    expect(openSecret(secrets, 'b')).toBe('from file');
    expect(openSecret(secrets, 'c')).toBe('from env');
    expect(() => openSecret(secrets, 'd')).toThrow('there is no secret "d" in the configuration');
  });

  it.each([
    ['others may read it', 'x', 0o644, 'secrets.a.file: can be read by others than its owner'],
    ['it is empty', '\n', 0o600, 'secrets.a.file: is empty'],
    ['it is large', 'x'.repeat(70_000), 0o600, 'secrets.a.file: is larger than 65536 bytes'],
  ])('are not taken from a file when %s', async (_, content, mode, mistake) => {
    const found = await mistakes(`secrets: {a: {file: "${secretFile(content, mode)}"}}`);
    expect(found).toEqual([expect.stringContaining(mistake)]);
  });

  it('stay what they are while their files cannot be used, those of a server that runs', async () => {
    const file = secretFile('in force');
    const text = `secrets: {a: {file: "${file}"}}`;
    const { secrets: secrets_in_force } = await load(text);
    expect(secrets_in_force['a']?.file).toBe(file);
    writeFileSync(file, '');
    expect(openSecret((await load(text, { secrets_in_force })).secrets, 'a')).toBe('in force');
    writeFileSync(file, 'the next one');
    expect(openSecret((await load(text, { secrets_in_force })).secrets, 'a')).toBe('the next one');
    expect(await mistakes(`secrets: {a: {file: "${file}.new"}}`, { secrets_in_force })).toEqual([
      expect.stringContaining('secrets.a.file: cannot be read: there is no such file'),
    ]);
  });

  it('are not taken from an empty variable', async () => {
    const env = { A: '' };
    expect(await mistakes('secrets: {a: {env: A}}', { env })).toEqual([
      'gleitzeit.yaml:1:20  secrets.a.env: the environment variable A is empty',
    ]);
    expect(await mistakes('secrets: {a: "${A}"}', { env })).toEqual([
      'gleitzeit.yaml:1:14  secrets.a: is empty',
    ]);
  });

  it('show themselves to nobody', async () => {
    const config = await load('secrets: {a: {env: A}}', { env: { A: 'hunter2' } });
    const { a } = config.secrets;
    for (const shown of [
      String(a),
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      `${a}`,
    ]) {
      expect(shown).not.toContain('hunter2');
    }
    expect(inspect(a)).toBe('Secret(*** from env A)');
  });

  it('are filled in at once for what is read once, and left to every call for providers', async () => {
    const text = `
secrets: {db: {env: DB}}
store: {url: "postgres://u:\${secrets.db}@h/x"}
telemetry: {service_name: "a $\${secrets.db}"}
protocols: [{name: llm/v1, providers: [{type: ollama, config: {h: "Bearer \${secrets.db}"}}]}]`;
    const config = await load(text, { env: { DB: 'hunter2' } });
    expect(config.store).toMatchObject({ url: 'postgres://u:hunter2@h/x' });
    expect(config.telemetry.service_name).toBe('a ${secrets.db}');
    expect(config.protocols[0]?.providers[0]?.config).toEqual({ h: 'Bearer ${secrets.db}' });
  });

  it('are not shown in what is said of the texts they stand in', async () => {
    const text = 'secrets: {db: {env: DB}}\nstore: {url: "${secrets.db}"}\nserver: {host: "${secrets.db}"}';
    const found = await rendered(text, { env: { DB: 'mysql://u:hunter2@h' } });
    expect(found).toContain('store.url: must be an address that begins with postgres://');
    expect(found).not.toContain('hunter2');
  });

  it('that could not be read are complained of once', async () => {
    const text = 'secrets: {a: {env: A}}\nserver: {host: "${secrets.a}"}';
    expect(await mistakes(text)).toEqual([
      expect.stringContaining('secrets.a.env: the environment variable A is not set'),
      expect.stringContaining('server.host: can be reached from other machines'),
    ]);
  });
});

describe('describeConfig', () => {
  const text = `server: {port: 9000, tls: {cert: /dev/null, key: /dev/null}}
store: {url: "postgres://me:p%40ss@db/x"}
secrets: {tok: {env: TOK}}
protocols:
  - name: llm/v1
    providers:
      - type: ollama
        config:
          api_key: "\${KEY}"
          password: literal-pass
          authorization: "Bearer \${secrets.tok}"
          Cookie: "Basic abcd1234"
          url: "https://h/?token=qqqq&x=1"
          note: "uses topsecret and literal-pass"
          tokens: []
          retries: 3
  - name: a/v1
    methods: {x: {}, y: {}}
`;
  const loaded = () =>
    load(text, { env: { KEY: 'envkey', TOK: 'topsecret', GLEITZEIT_LOGGING_LEVEL: 'warn' } });

  it('says where each value came from, and hides what is secret', async () => {
    const rows = new Map(
      describeConfig(await loaded()).map(({ path, value, source }) => [path, [value, source]]),
    );
    const config = 'protocols[0].providers[0].config';
    const expected = {
      'server.port': [9000, 'gleitzeit.yaml:1'],
      'server.host': ['127.0.0.1', 'default'],
      'server.tls.key': ['/dev/null', 'gleitzeit.yaml:1'],
      'store.url': ['postgres://me:***@db/x', 'gleitzeit.yaml:2'],
      'store.schema': ['gleitzeit', 'default'],
      'logging.level': ['warn', 'env GLEITZEIT_LOGGING_LEVEL'],
      'protocols[0].name': ['llm/v1', 'gleitzeit.yaml:5'],
      'protocols[0].methods': ['1 method', 'library'],
      'protocols[0].providers[0].id': ['ollama-1', 'default'],
      'protocols[0].providers[0].type': ['ollama', 'gleitzeit.yaml:7'],
      [`${config}.api_key`]: ['***', 'gleitzeit.yaml:9 (env KEY)'],
      [`${config}.password`]: ['***', 'gleitzeit.yaml:10'],
      [`${config}.authorization`]: ['Bearer ${secrets.tok}', 'gleitzeit.yaml:11'],
      [`${config}.Cookie`]: ['***', 'gleitzeit.yaml:12'],
      [`${config}.url`]: ['https://h/?token=***&x=1', 'gleitzeit.yaml:13'],
      [`${config}.note`]: ['uses *** and ***', 'gleitzeit.yaml:14'],
      [`${config}.tokens`]: [[], 'gleitzeit.yaml:15'],
      [`${config}.retries`]: [3, 'gleitzeit.yaml:16'],
      'protocols[1].methods': ['2 methods', 'gleitzeit.yaml:17'],
      'secrets.tok': ['***', 'env TOK'],
    };
    for (const [path, row] of Object.entries(expected)) expect(rows.get(path), path).toEqual(row);
  });

  it('shows none of the texts that the log is to mask', async () => {
    const config = await loaded();
    const secrets = secretTexts(config);
    expect(secrets).toEqual(
      expect.arrayContaining(['topsecret', 'envkey', 'literal-pass', 'abcd1234', 'p%40ss', 'p@ss', 'qqqq']),
    );
    const shown = JSON.stringify(describeConfig(config));
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });

  it('shows where key files are, and never a key', async () => {
    const tls = (key: string) => `tls: {cert: c.pem, key: ${key}}`;
    const pem = '"-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n"';
    const places = (key: string) => `
protocols:
  - name: llm/v1
    providers:
      - {type: ollama, config: {${tls(key)}, auth: {${tls(key)}}, kubernetes: {${tls(key)}}, body: {${tls('a-key')}}}}`;
    const shown = async (key: string) => {
      const config = await load(places(key));
      const rows = describeConfig(config).filter(({ path }) => path.endsWith('tls.key'));
      return { values: rows.map(({ value }) => value), hidden: secretTexts(config) };
    };
    const path = '/etc/own-key.pem';
    expect(await shown(path)).toEqual({ values: [path, path, path, '***'], hidden: ['a-key'] });
    const { values, hidden } = await shown(pem);
    expect(values).toEqual(['***', '***', '***', '***']);
    expect(hidden).toContainEqual(expect.stringContaining('MIIEvQ'));
  });

  it('knows what a name and a password become in a header', async () => {
    const provider = '{type: http, config: {url: "http://me%2F:${PW}@h/x"}}';
    const config = await load(`protocols: [{name: llm/v1, providers: [${provider}]}]`, {
      env: { PW: 'p%40ss' },
    });
    expect(secretTexts(config)).toContain(Buffer.from('me/:p@ss').toString('base64'));
  });

  it('keeps an address that cannot be decoded', async () => {
    const pair = Buffer.from('u:%zz%').toString('base64');
    expect(secretTexts(await load('store: {url: "postgres://u:%zz%@h/x"}'))).toEqual(['%zz%', pair]);
  });
});
