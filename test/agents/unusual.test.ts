import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type BrokenAgent, startBrokenAgent } from './broken-agent.ts';
import { checked } from './checked.ts';
import { type Fault, page, rpcError, swap, whenAsked, whenFetched } from './faults/fault.ts';
import { startAgent } from './start.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function agentWith(change: Partial<Fault>): Promise<BrokenAgent> {
  const agent = await startBrokenAgent();
  open.push(() => agent.stop());
  agent.have({ name: 'unusual', about: '', rule: '', ...change });
  return agent;
}

describe('a check finds nothing', () => {
  it('in an agent of HTTP/1.0 that says no length, closes, and takes one call at a time', async () => {
    const { url, most } = await oldAgent();
    const report = await checked(url);
    expect(report).toMatchObject({ speaks: ['simple-a2a'], findings: [] });
    expect(most()).toBe(1);
  });

  it('in an agent that speaks A2A 0.3 alone', async () => {
    const { after } = swap('card', /"supportedInterfaces":\[.*?\],/, '');
    const { instead } = whenAsked(/"(SendMessage|SendStreamingMessage|GetTask)"/, rpcError(-32601));
    // It has never heard of the header.
    const before: Fault['before'] = (asked) => ({
      ...asked,
      headers: { 'content-type': asked.headers['content-type'] },
    });
    const agent = await agentWith({ ...(after && { after }), ...(instead && { instead }), before });
    const report = await checked(agent.url, { protocol: 'a2a' });
    expect(report).toMatchObject({ speaks: ['a2a-0.3'], findings: [] });
  });

  it('in an agent that does not stream, and says so', async () => {
    const { after } = swap('card', '"streaming":true', '"streaming":false');
    const { instead } = whenAsked(/"(message\/stream|SendStreamingMessage)"/, rpcError(-32004));
    const agent = await agentWith({ ...(after && { after }), ...(instead && { instead }) });
    expect((await checked(agent.url, { protocol: 'a2a' })).findings.map(({ rule }) => rule)).toEqual([]);
  });

  it('in an agent below a path', async () => {
    const agent = await agentWith({});
    expect((await checked(`${agent.url}agents/one`, { protocol: 'a2a' })).findings).toEqual([]);
  });

  it('in an agent that wants a token and gets it', async () => {
    const agent = await startAgent('node', { TOKEN: 'open sesame' });
    open.push(() => agent.stop());
    const headers = { authorization: 'Bearer open sesame' };
    expect((await checked(agent.url, { headers })).findings).toEqual([]);
  });
});

describe('a check', () => {
  it('shows the token to nobody but the address it was told', async () => {
    const heard: (string | undefined)[] = [];
    const other = await agentWith({
      instead: ({ headers }) => {
        heard.push(headers['authorization']);
        return undefined;
      },
    });
    // The card of this one leads to the other.
    const { after } = swap('card', /"url":"[^"]*"/, `"url":"${other.url}"`);
    const agent = await agentWith({ ...(after && { after }) });
    const headers = { authorization: 'Bearer secret-of-one' };
    const report = await checked(agent.url, { headers, protocol: 'a2a' });
    expect(report.speaks).toEqual(['a2a-1.0', 'a2a-0.3']);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.filter((value) => value !== undefined)).toEqual([]);
    expect(JSON.stringify(report)).not.toContain('secret-of-one');
  });

  it('of an agent without a card finds out what it speaks', async () => {
    const agent = await agentWith(whenFetched(/./, page(404)));
    const report = await checked(agent.url);
    expect(report.speaks).toEqual(['a2a-0.3', 'a2a-1.0', 'simple-a2a']);
    expect(report.findings.map(({ rule }) => rule)).toContain('card-found');
  });

  it('of an agent whose card leads nowhere says so, though it also speaks simple-a2a', async () => {
    const { after } = swap('card', /"protocolVersion":"[^"]*"/g, '"protocolVersion":"0.1.0"');
    const agent = await agentWith({ ...(after && { after }) });
    const report = await checked(agent.url);
    expect(report.speaks).toEqual(['simple-a2a']);
    expect(report.findings.map(({ rule }) => rule)).toContain('card-version');
  });

  it('of something that is no agent says so', async () => {
    const agent = await agentWith({ instead: () => page() });
    const report = await checked(agent.url);
    expect(report.speaks).toEqual([]);
    expect(report.findings.map(({ rule }) => rule)).toContain('speaks');
  });

  it('of an address where nobody listens rejects', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await expect(checked(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'GLZ2002' });
  });

  it('only notes that an agent could not do the work', async () => {
    const agent = await startAgent('node', { SKILL: 'fail' });
    open.push(() => agent.stop());
    const { findings } = await checked(agent.url);
    expect(new Set(findings.map(({ rule, level }) => `${level} ${rule}`))).toEqual(new Set(['note work']));
  });
});

/** As agents of simple-a2a are that people wrote in an afternoon. */
async function oldAgent() {
  let under_way = 0;
  let most = 0;
  let turn = Promise.resolve();
  const server = createServer((socket) => {
    turn = turn.then(() => serve(socket)).catch(() => undefined);
  });
  async function serve(socket: Socket): Promise<void> {
    under_way += 1;
    most = Math.max(most, under_way);
    let text = '';
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += chunk;
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.includes('\r\n\r\n') && Buffer.byteLength(body) >= length) {
        socket.end(answer(head, body));
        break;
      }
    }
    under_way -= 1;
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, most: () => most };
}

function answer(head: string, body: string): string {
  if (!head.startsWith('POST'))
    return 'HTTP/1.0 501 Unsupported method\r\nContent-Type: text/html\r\n\r\n<p>no</p>';
  const said = (status: string, value: unknown) =>
    `HTTP/1.0 ${status}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}`;
  try {
    const { task_id, input } = JSON.parse(body);
    return said('200 OK', {
      task_id,
      status: 'success',
      output: { text: input?.text ?? input },
      error: null,
    });
  } catch {
    return said('400 Bad Request', { status: 'error', output: null, error: 'not JSON' });
  }
}
