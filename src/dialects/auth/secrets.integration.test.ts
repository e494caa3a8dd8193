import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../core/ports/logger.ts';
import { systemRandom, systemTimers } from '../../embedded/system.ts';
import { webSocketChannel } from '../../rpc/websocket/channel.ts';
import { direct } from '../dialect.suite.ts';
import { realChannels, realParts } from '../jsonrpc/channels.suite.ts';
import { type Asked, openProvider, type Said, type Service, startService } from './service.suite.ts';

/** Says everything it was told, in every form in which services quote what they were told. */
function gossip({ path, headers, body }: Asked): string {
  const { authorization = '', 'x-api-key': key = '' } = headers;
  const opened = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  const raw = [path, decoded(path.replaceAll('+', ' ')), authorization, String(key), body];
  const form = [...new URLSearchParams(body).values()];
  const quoted = JSON.stringify([...raw, opened, ...form]);
  const plain = [...raw, opened, decoded(opened), ...form];
  return [...plain, ...plain.flatMap(escapings), quoted, JSON.stringify(quoted)].join(' | ');
}

/** As PHP, .NET, addresses in small letters and pages of HTML have it. */
function escapings(text: string): string[] {
  const small = encodeURIComponent(text).replaceAll(/%../g, (found) => found.toLowerCase());
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const units = text.replaceAll(/[^\w ]/g, (one) => `\\u00${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return [JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'), small, html, units];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What the service and the endpoint say next. */
let saying: { service: (asked: Asked) => Said; token: (asked: Asked) => Said };
let service: Service;
const logged: string[] = [];

beforeAll(async () => {
  service = await startService({
    answer: (asked) => saying.service(asked),
    token: (asked) => saying.token(asked),
  });
});
afterAll(() => service.stop());

const note = (message: string, fields: object = {}) => void logged.push(JSON.stringify([message, fields]));
const logger: Logger = { debug: note, info: note, warn: note, error: note };

function ofService(status: number): (asked: Asked) => Said {
  return (asked) => {
    const words = gossip(asked);
    const id = asked.body.startsWith('{') ? JSON.parse(asked.body).id : null;
    const location = encodeURI(`http://elsewhere/${asked.path}`);
    if (status >= 300 && status < 400) return { status, headers: { location } };
    if (status === 502) return { status, body: words };
    return {
      status,
      body: { jsonrpc: '2.0', id, error: { code: 7, message: words, data: { [words]: words } } },
    };
  };
}

function ofEndpoint(status: number, token: string): (asked: Asked) => Said {
  if (status === 200) return () => ({ body: { access_token: token, token_type: 'bearer' } });
  return (asked) => ({ status, body: { error: gossip(asked), error_description: gossip(asked) } });
}

/** Long and odd enough that it does not stand in our own words. */
const secretText = fc
  .tuple(fc.string({ unit: fc.constantFrom(...'aZ09%+/=&?#"\\\'<> :$~!'), minLength: 0, maxLength: 20 }))
  .map(([odd]) => `Qx${odd.replaceAll('${', '')}7w`);
const tokenText = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019-._~+/='), minLength: 6, maxLength: 40 })
  .map((text) => `Tk${text}`);

const auths = fc.constantFrom<object>(
  { type: 'api_key', header: 'X-Api-Key', value: '${secrets.s}' },
  { type: 'api_key', query: 'key', value: '${secrets.s}' },
  { type: 'bearer', token: '${secrets.s}' },
  { type: 'basic', username: 'me', password: '${secrets.s}' },
  { type: 'oauth2', client_id: 'me', client_secret: '${secrets.s}', style: 'header' },
  { type: 'oauth2', client_id: 'me', client_secret: '${secrets.s}', style: 'body' },
);

function hiddenForms(secret: string, token: string): string[] {
  const encoded = encodeURIComponent(secret);
  const pairs = [`me:${secret}`, `me:${encoded}`].map((pair) => Buffer.from(pair).toString('base64'));
  return [secret, encoded, token, ...pairs, ...escapings(secret), ...escapings(token)];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

describe('whatever a service or a token endpoint says', () => {
  it('no error shows a secret or a token', { timeout: 120_000 }, async () => {
    const statuses = fc.constantFrom(200, 302, 400, 401, 403, 429, 500, 502);
    const cases = fc.record({
      auth: auths,
      secret: secretText,
      token: tokenText,
      status: statuses,
      refusal: statuses,
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ auth, secret, token, status, refusal }) => {
        saying = { service: ofService(status), token: ofEndpoint(refusal, token) };
        const { url, token_url } = service;
        const target = 'client_id' in auth ? { ...auth, token_url } : auth;
        const provider = openProvider({ url, auth: target }, { secrets: () => secret });
        const answer = await direct(provider, { do: 'echo', value: 1 });
        await provider.close?.();
        expect(answer.word).toBe('failed');
        for (const text of textsIn(answer))
          for (const hidden of hiddenForms(secret, token)) expect(text).not.toContain(hidden);
      }),
      { numRuns: 300 },
    );
  });

  it('not even half of one is shown where a long answer is cut', async () => {
    const secret = 'Qx-0123456789-0123456789-0123456789-7w';
    const { url } = service;
    for (const auth of [
      { type: 'bearer', token: '${secrets.s}' },
      { type: 'api_key', query: 'key', value: '${secrets.s}' },
    ])
      for (const before of [480, 490, 185, 190, 195]) {
        const words = `${'-'.repeat(before)}${secret}`;
        const headers = { location: `http://a/${words}` };
        saying.service = () => (before > 400 ? { status: 302, headers } : { status: 502, body: words });
        const provider = openProvider({ url, auth }, { secrets: () => secret });
        const answer = await direct(provider, { do: 'echo', value: 1 });
        await provider.close?.();
        expect(JSON.stringify(answer)).not.toContain('Qx-');
      }
  });

  it('no log of a WebSocket shows them either', async () => {
    saying = { service: ofService(200), token: ofEndpoint(200, 'Tk-hidden-token') };
    const websocket: typeof realChannels.websocket = ({ tls: _, ...target }) =>
      webSocketChannel({ ...target, timers: systemTimers, random: systemRandom(), logger });
    const { socket_url: url, token_url } = service;
    const auth = { type: 'oauth2', token_url, client_id: 'me', client_secret: '${secrets.s}' };
    const channels = { ...realChannels, websocket };
    const provider = openProvider({ type: 'jsonrpc-ws', url, auth }, { ...realParts, channels });
    const answer = await direct(provider, { do: 'cut' });
    await provider.close?.();
    expect(JSON.stringify(answer)).toContain('no more Bearer [secret]');
    expect(logged.join()).toContain('no more Bearer [secret]');
    expect(logged.join()).not.toContain('Tk-hidden-token');
  });
});
