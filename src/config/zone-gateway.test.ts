import { describe, expect, it } from 'vitest';
import { sentences } from '../zone/verification/sentences.ts';
import { describeConfig } from './describe.ts';
import { loadConfig } from './load.ts';
import { sentenceKeys } from './zone-gateway.ts';

const env = { SIGNING: 'signing-words', BOT: 'xoxb-words' };
const load = (text: string) => loadConfig({ text, env, cwd: '/' });

const secrets = 'secrets: {signing: {env: SIGNING}, bot: {env: BOT}}\n';
const gateway = (more: string, bot = '${secrets.bot}') =>
  [
    `${secrets}zone:`,
    '  gateway:',
    '    signing_secret: ${secrets.signing}',
    `    bot_token: ${bot}`,
    more,
  ].join('\n');
const https = '    carrier: {type: https, url: "https://zone.example.org/zone"}';

describe('what a gateway goes by', () => {
  it('is nothing unless it is written', async () => {
    expect((await load('')).zone.gateway).toBeUndefined();
  });

  it('has defaults for everything but secrets and carrier', async () => {
    const { zone } = await load(gateway(https));
    expect(zone.gateway).toMatchObject({
      ...{ host: '127.0.0.1', port: 8080, path: '/slack/events', deadline: 600, budget: 5 },
      ...{ chat: { url: 'https://slack.com/api' }, store: { path: '/.gleitzeit/gateway.db' } },
      limits: { per_user: { requests: 20, per: 60 }, per_channel: { requests: 60, per: 60 } },
    });
  });

  it('takes every carrier', async () => {
    const agentcore = '{type: agentcore, runtime_arn: "arn:aws:x", region: eu-central-1}';
    const socket = '{type: websocket, url: "wss://zone.example.org/zone"}';
    for (const carrier of [agentcore, socket, '{type: stdio, command: zone}'])
      expect((await load(gateway(`    carrier: ${carrier}`))).zone.gateway?.carrier).toBeDefined();
  });

  it('warns where the token would travel readable', async () => {
    const plain = (url: string) => gateway(`    carrier: {type: https, url: "${url}"}`);
    for (const url of ['https://zone.example.org', 'http://127.0.0.1:1/zone', 'http://[::1]:1/zone'])
      expect((await load(plain(url))).warnings).toEqual([]);
    expect((await load(plain('http://zone.example.org/zone'))).warnings).toEqual([
      'zone.gateway.carrier.url is on another machine and without TLS: the token travels readable',
    ]);
    expect((await load(gateway(`${https}\n    chat: {url: "http://chat.example.org"}`))).warnings).toEqual([
      expect.stringContaining('zone.gateway.chat.url'),
    ]);
  });

  it('shows neither the token nor the secret', async () => {
    const shown = JSON.stringify(describeConfig(await load(gateway(https))));
    expect(shown).not.toMatch(/signing-words|xoxb-words/);
  });

  it.each([
    ['a token that is written there', gateway(https, 'xoxb-plain'), /:5:\d+.*must be a secret/s],
    ['no carrier', gateway(''), /carrier/],
    ['another carrier', gateway('    carrier: {type: pigeon}'), /:6:\d+/],
    ['an address of another kind', gateway('    carrier: {type: https, url: "wss://x"}'), /:6:\d+.*https/s],
    [
      'a certificate without its key',
      gateway(https.replace('}', ', tls: {cert: x.crt}}')),
      /:6:\d+.*come together/s,
    ],
    [
      'a file that is not there',
      gateway(https.replace('}', ', tls: {ca: x.crt}}')),
      /:6:\d+.*cannot be read/s,
    ],
    ['a sentence nobody says', gateway(`${https}\n    sentences: {hello: x}`), /:7:\d+/],
  ])('says where it is wrong: %s', async (_, text, words) => {
    await expect(load(text)).rejects.toThrow(words);
  });

  const agentcore = (more: string) =>
    gateway(`    carrier: {type: agentcore, runtime_arn: "arn:aws:x", region: eu-central-1, ${more}}`);
  const key = 'secret_access_key: "${secrets.signing}"';

  it.each([
    ['an id without its key', 'access_key_id: AKIA', /:6:\d+.*carrier.access_key_id: .*belong together/s],
    ['a key without its id', key, /:6:\d+.*carrier.secret_access_key: .*belong together/s],
    [
      'a token without both',
      'session_token: "${secrets.bot}"',
      /:6:\d+.*carrier.session_token: .*belong together/s,
    ],
    [
      'a key that is written there',
      'access_key_id: AKIA, secret_access_key: plain',
      /:6:\d+.*must be a secret/s,
    ],
    ['such a token', `access_key_id: AKIA, ${key}, session_token: plain`, /session_token.*must be a secret/s],
  ])('says what is wrong with credentials: %s', async (_, more, words) => {
    await expect(load(agentcore(more))).rejects.toThrow(words);
  });

  it('takes credentials that are whole', async () => {
    const whole = `access_key_id: AKIA, ${key}, session_token: "\${secrets.bot}"`;
    expect((await load(agentcore(whole))).zone.gateway?.carrier).toMatchObject({
      ...{ access_key_id: 'AKIA', secret_access_key: 'signing-words', session_token: 'xoxb-words' },
    });
  });

  it('hands a program what its environment is to be, and shows no secret of it', async () => {
    const config = await load(
      gateway('    carrier: {type: stdio, command: zone, env: {AGENT_KEY: "k ${secrets.bot}", PLAIN: "1"}}'),
    );
    expect(config.zone.gateway?.carrier).toMatchObject({ env: { AGENT_KEY: 'k xoxb-words', PLAIN: '1' } });
    expect(JSON.stringify(describeConfig(config))).not.toContain('xoxb-words');
  });

  it('knows every sentence that is said', () => {
    expect(Object.keys(sentenceKeys).sort()).toEqual(Object.keys(sentences).sort());
  });
});
