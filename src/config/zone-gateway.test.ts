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

  it('knows every sentence that is said', () => {
    expect(Object.keys(sentenceKeys).sort()).toEqual(Object.keys(sentences).sort());
  });
});
