import fc from 'fast-check';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { describeConfig, loadConfig } from '../../config.ts';
import { problemsOf, renderProblems } from '../../files/problems.ts';
import { misfits } from '../check-shape.ts';
import { checkProvider, configSchemas } from '../registry.ts';
import { Auth } from './config.ts';

function load(config: string) {
  const indented = config.replaceAll('\n', '\n          ');
  const text = `secrets:
  key: { env: KEY }
protocols:
  - name: act/v1
    methods: { act: {} }
    providers:
      - id: one
        type: jsonrpc-http
        config:
          ${indented}
`;
  return loadConfig({
    text,
    file: '/etc/app/gleitzeit.yaml',
    cwd: '/etc/app',
    env: { KEY: 'a-secret', PLAIN: 'hunter2pw' },
    provider_types: configSchemas(),
    check_provider: (provider, methods) => checkProvider(provider, { methods }),
  });
}

async function rendered(config: string): Promise<string> {
  try {
    await load(config);
    return 'nothing is wrong';
  } catch (thrown) {
    const problems = problemsOf(thrown);
    if (problems.length === 0) throw thrown;
    return renderProblems(problems);
  }
}

const token = 'token_url: https://idp/token, client_id: me, client_secret: "${secrets.key}"';

describe('auth in a configuration', () => {
  it.each([
    'auth: {type: api_key, header: X-Key, value: "${secrets.key}"}',
    'auth: {type: api_key, header: Authorization, value: "ApiKey ${secrets.key}"}\nheaders: {x-other: "1"}',
    'auth: {type: api_key, query: key, value: "${secrets.key}"}',
    'auth: {type: bearer, token: "${secrets.key}"}\ntls: {cert: a.pem, key: b.pem}',
    'auth: {type: basic, username: me, password: "${secrets.key}"}',
    `auth: {type: oauth2, ${token}, scope: a b, audience: c, style: body, tls: {ca: ca.pem}}`,
  ])('is taken: %s', async (auth) => {
    expect(await rendered(`url: https://h/rpc\n${auth}`)).toBe('nothing is wrong');
  });

  it.each([
    ['auth: {type: api_kye, value: "${secrets.key}"}', 11, 'api_key, bearer, basic, oauth2'],
    ['auth: {type: bearer}', 11, 'token: is missing'],
    ['auth:\n  type: bearer\n  token: hunter2pw', 13, 'must be one of the secrets: ${secrets.name}'],
    ['auth:\n  type: bearer\n  token: ${PLAIN}', 13, 'must be one of the secrets: ${secrets.name}'],
    ['auth: {type: api_key, header: X-A, value: hunter2pw}', 11, 'must be one of the secrets'],
    ['auth: {type: api_key, header: X-A, query: a, value: "${secrets.key}"}', 11, 'unknown key "query"'],
    ['auth: {type: api_key, header: "X A", value: "${secrets.key}"}', 11, 'the name of a header'],
    ['auth: {type: bearer, token: "${secrets.kye}"}', 11, 'there is no secret "kye"'],
    ['auth: {type: basic, username: "a:b", password: "${secrets.key}"}', 11, 'without a colon'],
    ['auth: {type: basic, username: a, password: "${secrets.key}", passwrod: hunter2pw}', 11, 'unknown key'],
    [`auth: {type: oauth2, ${token.replace('https:', 'file:')}}`, 11, 'http:// or https://'],
    [`auth: {type: oauth2, ${token.replace('https://idp/token', '"https://[idp"')}}`, 11, 'is no address'],
    [`auth: {type: oauth2, ${token.replace('//idp', '//u:hunter2pw@idp')}}`, 11, 'names a user'],
    [`auth: {type: oauth2, ${token}, style: cookie}`, 11, 'one of header, body'],
    [`auth: {type: oauth2, ${token}, tls: {cert: a.pem}}`, 11, 'is missing'],
    ['tls:\n  key: a.pem', 11, 'config.tls.cert: is missing'],
    [
      'auth: {type: bearer, token: "${secrets.key}"}\nheaders:\n  Authorization: hunter2pw',
      13,
      'is what auth sends',
    ],
    ['auth: hunter2pw', 11, 'must be'],
  ])('is not taken, and told at its line: %s', async (auth, line, words) => {
    const shown = await rendered(`url: https://h/rpc\n${auth}`);
    expect(shown).toContain(`gleitzeit.yaml:${line}:`);
    expect(shown).toContain(words);
    expect(shown).not.toContain('hunter2pw');
    expect(shown).not.toContain('a-secret');
  });

  it('is not taken beside an address that names a user, or has the key already', async () => {
    const bearer = 'auth: {type: bearer, token: "${secrets.key}"}';
    const user = await rendered(`url: https://u:hunter2pw@h/rpc\n${bearer}`);
    expect(user).toContain('gleitzeit.yaml:10:');
    expect(user).toContain('names a user, and so does auth');
    expect(user).not.toContain('hunter2pw');
    const query = 'auth: {type: api_key, query: key, value: "${secrets.key}"}';
    expect(await rendered(`url: https://h/rpc?key=1\n${query}`)).toContain('stands in the url already');
    expect(await rendered(`url: https://u:p@h/rpc\n${query}`)).toBe('nothing is wrong');
  });

  it('is shown with the names of its secrets', async () => {
    const config = await load(`url: https://h/rpc\nauth: {type: oauth2, ${token}}`);
    const rows = Object.fromEntries(describeConfig(config).map(({ path, value }) => [path, value]));
    expect(rows['protocols[0].providers[0].config.auth.client_secret']).toBe('${secrets.key}');
    expect(JSON.stringify(rows)).not.toContain('a-secret');
  });
});

describe('the shape of auth', () => {
  const sound = fc.constantFrom<object>(
    { type: 'api_key', header: 'X-Key', value: 'Key ${secrets.a}' },
    { type: 'api_key', query: 'key', value: '${secrets.a}' },
    { type: 'bearer', token: '${secrets.a}' },
    { type: 'basic', username: 'me', password: '${secrets.a-b}' },
    { type: 'oauth2', token_url: 'https://a/', client_id: 'me', client_secret: '${secrets.a}' },
  );
  const keys = ['type', 'header', 'query', 'value', 'token', 'username', 'password', 'style', 'tls', 'x'];
  const texts = ['api_key', 'bearer', 'basic', 'oauth2', '${secrets.a}', 'X-A', 'header', 'a:b', '', 1, null];
  const more = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom<unknown>(...texts), { maxKeys: 2 });

  it('is judged as TypeBox judges it', () => {
    fc.assert(
      fc.property(sound, more, fc.subarray(keys), (auth, added, left) => {
        const mixed = Object.entries({ ...auth, ...added }).filter(
          ([key]) => !left.includes(key) || key in added,
        );
        for (const value of [auth, Object.fromEntries(mixed), { ...auth, ...added }, added])
          expect(misfits(Auth, value).length === 0).toBe(Check(Auth, value));
      }),
      { numRuns: 2000 },
    );
  });
});
