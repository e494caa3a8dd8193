import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { webClient } from '../../rpc/http/client.ts';
import { addressGuard } from '../../rpc/network/guard.ts';
import { quiet } from '../../rpc/testing/quiet.suite.ts';
import { type Post, slackChat } from './chat.ts';

const post = { client_msg_id: 'm-1', text: 'hello', channel: 'C1' };

/** Whatever was posted, the newest last. */
const heard: object[] = [];

type Reply = { readonly status?: number; readonly body?: string; readonly headers?: Record<string, string> };

/** What becomes of a post where the chat answers like this. */
async function posting(
  reply: Reply,
  given: (url: string) => Post = () => post,
  allow: readonly string[] = [],
) {
  const server = createServer(async (request, response) => {
    heard.push(JSON.parse(await text(request)) as object);
    response.writeHead(reply.status ?? 200, reply.headers ?? {}).end(reply.body ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = webClient({ url, guard: addressGuard({ allow }) });
  try {
    const chat = slackChat({ client, url, bot_token: 'xoxb-hidden', clock: quiet.clock });
    return await chat.post(given(url), new AbortController().signal);
  } catch (thrown) {
    const { code, details, message } = GleitzeitError.from(thrown);
    expect(message).not.toMatch(/xoxb-hidden|secret-path/);
    return { code, message, retry_after_ms: details.retry_after_ms };
  } finally {
    await client.close();
    server.close();
  }
}

describe('posting a reply', () => {
  it.each<[string, Reply, object]>([
    ['taken', { body: '{"ok":true,"ts":"1.2"}' }, { ts: '1.2' }],
    [
      'asked to wait',
      { status: 429, headers: { 'retry-after': '7' } },
      { code: 'GLZ2004', retry_after_ms: 7000 },
    ],
    ['asked to wait in words', { body: '{"ok":false,"error":"ratelimited"}' }, { code: 'GLZ2004' }],
    ['refused for good', { body: '{"ok":false,"error":"channel_not_found"}' }, { code: 'GLZ2010' }],
    [
      'refused until its token is right',
      { body: '{"ok":false,"error":"token_revoked"}' },
      { code: 'GLZ2001' },
    ],
    ['refused for now', { body: '{"ok":false,"error":"service_unavailable"}' }, { code: 'GLZ2001' }],
    ['answered with nothing', { body: 'what?' }, { code: 'GLZ2001' }],
    ['away', { status: 503 }, { code: 'GLZ2001' }],
    ['not found', { status: 404 }, { code: 'GLZ2010' }],
  ])('%s', async (_, reply, expected) => {
    expect(await posting(reply)).toMatchObject(expected);
  });

  it('goes to no address inside that came with a command, and tells nobody of it', async () => {
    const { channel: _, ...command } = post;
    const response_url = (url: string) => ({ ...command, response_url: `${url}/secret-path` });
    const message = 'the address for the reply may not be called, or leads elsewhere';
    expect(await posting({ body: 'ok' }, response_url)).toMatchObject({ code: 'GLZ2010', message });
    const elsewhere = { status: 302, headers: { location: 'https://example.org/secret-path' } };
    const allowed = ['127.0.0.1'];
    expect(await posting(elsewhere, response_url, allowed)).toMatchObject({ code: 'GLZ2010', message });
    expect(await posting({ status: 404 }, response_url, allowed)).toMatchObject({
      code: 'GLZ2010',
      message: 'the address for the reply answered with HTTP 404',
    });
    expect(await posting({ body: 'ok' }, response_url, allowed)).toEqual({ ts: null });
  });

  it('is seen by whoever asked alone, where it concerns nobody else', async () => {
    const { channel: _, ...command } = post;
    const said = async (more: Partial<Post>) => {
      await posting({ body: 'ok' }, (url) => ({ ...command, ...more, response_url: url }), ['127.0.0.1']);
      return heard.at(-1);
    };
    const message = { client_msg_id: 'm-1', text: 'hello' };
    expect(await said({})).toEqual({ ...message, response_type: 'in_channel' });
    expect(await said({ visible_to: 'channel' })).toEqual({ ...message, response_type: 'in_channel' });
    expect(await said({ visible_to: 'asker' })).toEqual({ ...message, response_type: 'ephemeral' });
    await posting({ body: '{"ok":true}' }, () => ({ ...post, visible_to: 'asker' }));
    expect(heard.at(-1)).toEqual(post);
  });
});
