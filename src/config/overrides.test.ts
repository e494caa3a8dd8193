import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settings } from './overrides.ts';
import { load, mistakes, rendered } from './testing.suite.ts';

describe('GLEITZEIT_<SECTION>_<KEY>', () => {
  it('wins over the file, with the type of the key', async () => {
    const env = {
      GLEITZEIT_SERVER_PORT: '9001',
      GLEITZEIT_SERVER_LIMITS_BODY: '1MiB',
      GLEITZEIT_ENGINE_LEASE_TTL: '250ms',
      GLEITZEIT_TELEMETRY_METRICS: 'false',
      GLEITZEIT_LOGGING_LEVEL: 'debug',
      GLEITZEIT_RETENTION_DAYS: '1.5',
      GLEITZEIT_SERVER_ALLOWED_HOSTS: 'a.example, b.example,',
      GLEITZEIT_SERVER_ALLOWED_ORIGINS: '["https://a.example"]',
      GLEITZEIT_TELEMETRY_OTLP_HEADERS: '{x-team: "7"}',
    };
    expect(await load('server: {port: "${PORT}"}\nlogging: {level: error}', { env })).toMatchObject({
      server: {
        port: 9001,
        limits: { body: 2 ** 20 },
        allowed_hosts: ['a.example', 'b.example'],
        allowed_origins: ['https://a.example'],
      },
      engine: { lease_ttl: 0.25 },
      telemetry: { metrics: false, otlp_headers: { 'x-team': '7' } },
      logging: { level: 'debug' },
      retention: { days: 1.5 },
    });
  });

  it('can bring lists and mappings, whose mistakes have places of their own', async () => {
    const protocols = '[{name: llm/v1, providers: [{type: ollama, config: {key: "${KEY}"}}]}]';
    const config = await load('', { env: { GLEITZEIT_PROTOCOLS: protocols, KEY: 'k' } });
    expect(config.protocols[0]?.providers[0]).toEqual({
      id: 'ollama-1',
      type: 'ollama',
      config: { key: 'k' },
    });
    expect(config.sources['protocols[0].providers[0].type']).toBe('env GLEITZEIT_PROTOCOLS');
    const env = { GLEITZEIT_SERVER_KEYS: '[{name: a, role: amin}]' };
    expect(await mistakes('', { env })).toEqual([
      'GLEITZEIT_SERVER_KEYS:1:2  server.keys[0].hash: is missing',
      'GLEITZEIT_SERVER_KEYS:1:18  server.keys[0].role: must be one of viewer, operator, admin, bridge, found "amin"',
    ]);
    expect(await mistakes('', { env: { GLEITZEIT_SERVER_KEYS: '[{' } })).toEqual([
      expect.stringMatching(/^GLEITZEIT_SERVER_KEYS:1:\d+ {2}/),
    ]);
  });

  it('is named where it is wrong, without what it holds', async () => {
    const found = await rendered('server: {port: 1}', { env: { GLEITZEIT_SERVER_PORT: 'hunter2' } });
    expect(found).toBe('GLEITZEIT_SERVER_PORT  server.port: must be a whole number from 0 to 65535');
  });

  it('says nothing when it is empty', async () => {
    expect((await load('server: {port: 1}', { env: { GLEITZEIT_SERVER_PORT: '' } })).server.port).toBe(1);
  });

  it('is meant as it is: nothing is filled in', async () => {
    const env = { GLEITZEIT_TELEMETRY_SERVICE_NAME: 'a ${X} $${Y}' };
    expect((await load('', { env })).telemetry.service_name).toBe('a ${X} $${Y}');
  });

  it('counts paths from the working folder', async () => {
    const env = { GLEITZEIT_STORE_PATH: 'x.db' };
    expect((await load('', { env, cwd: '/here' })).store).toEqual({ type: 'sqlite', path: '/here/x.db' });
  });

  it('does not hide that a section is none', async () => {
    const env = { GLEITZEIT_SERVER_PORT: '1' };
    expect(await mistakes('server: 3', { env })).toEqual([
      'gleitzeit.yaml:1:9  server: must be a mapping (key: value), found 3',
    ]);
  });

  it('is told of where it sets nothing, but for what belongs to others', async () => {
    const env = {
      GLEITZEIT_SERVER_PROT: '1',
      GLEITZEIT_SOMETHING_ELSE: '1',
      GLEITZEIT_SECRET_KEY: 'x',
      GLEITZEIT_TEST_POSTGRES_URL: 'x',
      GLEITZEIT_PROFILE: 'x',
      OTHER: 'x',
    };
    const { warnings } = await load('', { env, known_variables: ['GLEITZEIT_PROFILE'] });
    expect(warnings).toEqual([
      'the environment variable GLEITZEIT_SERVER_PROT sets nothing; did you mean GLEITZEIT_SERVER_PORT?',
      'the environment variable GLEITZEIT_SOMETHING_ELSE sets nothing',
    ]);
  });

  it('exists once for every key', () => {
    const names = settings().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['GLEITZEIT_SERVER_HOST', 'GLEITZEIT_STORE_SCHEMA', 'GLEITZEIT_SECRETS']),
    );
  });

  it('sets the same as the file would, whatever the value', async () => {
    const port = fc.integer({ min: 0, max: 65535 });
    const days = fc.integer({ min: 0, max: 36_500_000 }).map((number) => number / 1000);
    const name = fc.string({ minLength: 1, unit: 'grapheme-ascii' });
    await fc.assert(
      fc.asyncProperty(port, days, name, async (number, kept, service) => {
        const env = {
          GLEITZEIT_SERVER_PORT: String(number),
          GLEITZEIT_RETENTION_DAYS: String(kept),
          GLEITZEIT_TELEMETRY_SERVICE_NAME: service,
        };
        const written = JSON.stringify({
          server: { port: number },
          retention: { days: kept },
          telemetry: { service_name: service.replaceAll('${', () => '$${') },
        });
        const [fromEnv, fromFile] = [await load('', { env }), await load(written)];
        for (const section of ['server', 'retention', 'telemetry'] as const) {
          expect(fromEnv[section]).toEqual(fromFile[section]);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('where the store is', () => {
  const postgres = 'postgres://u:p@h/db';

  it.each([
    ['', { GLEITZEIT_STORE_URL: postgres }, { type: 'postgres', url: postgres, schema: 'gleitzeit' }],
    [
      'store: {path: a.db}',
      { GLEITZEIT_STORE_URL: postgres },
      { type: 'postgres', url: postgres, schema: 'gleitzeit' },
    ],
    [
      'store: {url: "postgres://other", schema: mine}',
      { GLEITZEIT_STORE_URL: postgres },
      { type: 'postgres', url: postgres, schema: 'mine' },
    ],
    [
      `store: {url: "${postgres}"}`,
      { GLEITZEIT_STORE_SCHEMA: 'mine' },
      { type: 'postgres', url: postgres, schema: 'mine' },
    ],
    [
      `store: {url: "${postgres}"}`,
      { GLEITZEIT_STORE_URL: 'sqlite:b.db' },
      { type: 'sqlite', path: '/etc/app/b.db' },
    ],
    ['', { GLEITZEIT_STORE_URL: 'sqlite:///abs/b.db' }, { type: 'sqlite', path: '/abs/b.db' }],
    ['', { DATABASE_URL: postgres }, { type: 'sqlite', path: '/etc/app/.gleitzeit/store.db' }],
  ])('%j with %j', async (text, env, store) => {
    expect((await load(text, { env })).store).toEqual(store);
  });

  it('is taken from DATABASE_URL by commands that ask for it, where nothing else says', async () => {
    const env = { DATABASE_URL: postgres };
    const taken = await load('', { env, database_url: true });
    expect(taken.store).toMatchObject({ type: 'postgres', url: postgres });
    expect(taken.sources['store.url']).toBe('env DATABASE_URL');
    expect(taken.sources['store.schema']).toBe('default');
    const configured = await load('store: {path: a.db}', { env, database_url: true });
    expect(configured.store).toMatchObject({ type: 'sqlite' });
    expect(configured.warnings).toEqual([
      'the environment variable DATABASE_URL is not used, since a store is configured',
    ]);
    const foreign = await load('', { env: { DATABASE_URL: 'mysql://x' }, database_url: true });
    expect(foreign.store).toMatchObject({ type: 'sqlite' });
    expect(foreign.warnings).toEqual([
      'the environment variable DATABASE_URL is no address of a Postgres server',
    ]);
  });

  it('is refused where it is nothing we know', async () => {
    expect(await mistakes('', { env: { GLEITZEIT_STORE_URL: 'redis://x' } })).toEqual([
      'GLEITZEIT_STORE_URL  store.url: must be an address that begins with postgres://',
    ]);
  });
});
