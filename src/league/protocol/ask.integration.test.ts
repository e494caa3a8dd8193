import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import { bodyOf, closePeers, httpPeer, rejectionOf, respond, tcpPeer } from '../../rpc/http/peer.suite.ts';
import { start, stopAll } from '../../rpc/listener/testing.suite.ts';
import { quiet } from '../../rpc/testing/quiet.suite.ts';
import { type AgentLines, agentLines, endpointOf, type OutgoingQuestion } from './ask.ts';
import { leagueRoutes } from './endpoint.ts';
import { askPatiently } from './patience.ts';
import { envelope, payload, question, TestAgent, TOKEN } from './testing.suite.ts';
import { defaultTimeouts, readTimeoutPolicy } from './timeout-policy.ts';

let lines: AgentLines;
beforeEach(() => {
  lines = agentLines({ clock: systemClock, timers: systemTimers });
});
afterEach(async () => {
  await lines.close();
  await Promise.all([stopAll(), closePeers()]);
});

const invitation = {
  id: 'q-1',
  envelope: { ...envelope, protocol: 'league.v2', message_type: 'GAME_INVITATION' },
  payload,
} as const satisfies OutgoingQuestion;
const soon = { timeout_ms: 20_000 };
const accepted = { status: 'accepted', match_id: 'M1' };

describe('an agent of ours', () => {
  it('is asked over HTTP, and shows its health and state', async () => {
    const agent = new TestAgent();
    const { url } = await start({ routes: leagueRoutes({ agent, ...quiet }) });
    const said = await lines.ask(url, invitation, soon);
    expect(said).toMatchObject({ is: 'answered', payload: accepted });
    expect(await lines.isThere(url, 20_000)).toBe(true);
    expect(await lines.matchesOf(url, 20_000)).toBe(null);
    agent.status = () => ({ matches: ['M1'] });
    expect(await lines.matchesOf(url, 20_000)).toEqual(['M1']);
    agent.status = () => ({ agent_state: 'ACTIVE' });
    expect(await lines.matchesOf('http://127.0.0.1:9', 20_000)).toBe(null);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${url}/status`)).json()).toEqual({ agent_state: 'ACTIVE' });
  });

  it('answers malformed bodies with HTTP 400 and a JSON-RPC error, valid ones with 200', async () => {
    const { url } = await start({ routes: leagueRoutes({ agent: new TestAgent(), ...quiet }) });
    const post = async (body: string, type = 'application/json') => {
      const answer = await fetch(`${url}/mcp`, { method: 'POST', body, headers: { 'content-type': type } });
      const { error } = (await answer.json()) as { error: { code: number } };
      return [answer.status, error.code];
    };
    expect(await post('{"jsonrpc":')).toEqual([400, -32700]);
    expect(await post('[]')).toEqual([400, -32600]);
    expect(await post(JSON.stringify({ ...question(), method: 'other' }))).toEqual([200, -32601]);
    expect(await post(JSON.stringify(question()), 'text/plain')).toEqual([415, -32600]);
  });

  it('refuses by name, which is told to whoever asked', async () => {
    const { url } = await start({ routes: leagueRoutes({ agent: new TestAgent(), ...quiet }) });
    const wrong = { ...invitation, envelope: { ...invitation.envelope, auth_token: 'other' } };
    expect(await lines.ask(url, wrong, soon)).toMatchObject({
      ...{ is: 'refused', code: -32600, error_code: 'AUTHENTICATION_FAILED' },
    });
  });
});

describe('an agent of others', () => {
  it('may speak HTTP/1.0, close, and repeat the envelope it was sent', async () => {
    const peer = await tcpPeer((socket) => {
      socket.once('data', (data) => {
        const body = JSON.parse(String(data).split('\r\n\r\n')[1] ?? '');
        const result = { envelope: body.params.envelope, payload: accepted };
        socket.end(
          `HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ jsonrpc: '2.0', id: body.id, result })}`,
        );
      });
    });
    for (let n = 0; n < 3; n++)
      expect(await lines.ask(peer.url, invitation, soon)).toMatchObject({
        is: 'answered',
        payload: accepted,
      });
  });

  it('may not know a message, and say so in its own words', async () => {
    const peer = await httpPeer(async (request, response) => {
      const { id } = JSON.parse(await bodyOf(request));
      respond(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'what?' } });
    });
    const said = await lines.ask(peer.url, invitation, soon);
    expect(said).toMatchObject({ is: 'refused', error_code: null, details: 'what?' });
  });

  it.each([
    ['an answer without a payload that fits', { payload: { status: 7 } }],
    ['an answer that is no object', 'yes'],
  ])('is not understood by %s', async (_name, result) => {
    const peer = await httpPeer(async (request, response) => {
      const { id } = JSON.parse(await bodyOf(request));
      respond(response, 200, { jsonrpc: '2.0', id, result });
    });
    expect((await rejectionOf(lines.ask(peer.url, invitation, soon))).code).toBe('GLZ2005');
  });

  it('may say too much, or nothing in time, or what it was told in confidence', async () => {
    const endless = await httpPeer((_, response) => respond(response, 200, 'x'.repeat(2 * 1024 * 1024)));
    expect((await rejectionOf(lines.ask(endless.url, invitation, soon))).code).toBe('GLZ2005');
    const silent = await httpPeer(() => {});
    const late = await rejectionOf(lines.ask(silent.url, invitation, { timeout_ms: 20 }));
    expect(late.code).toBe('GLZ2003');
    const echo = await httpPeer(async (request, response) => respond(response, 500, await bodyOf(request)));
    const told = await rejectionOf(lines.ask(echo.url, invitation, soon));
    expect(JSON.stringify(told.toRecord())).not.toContain(TOKEN);
  });
});

describe('patience', () => {
  it('asks again under the same id until somebody answers', async () => {
    const ids: unknown[] = [];
    const peer = await httpPeer(async (request, response) => {
      const { id } = JSON.parse(await bodyOf(request));
      ids.push(id);
      if (ids.length < 3) response.destroy();
      else respond(response, 200, { jsonrpc: '2.0', id, result: { payload: accepted } });
    });
    const policy = { ...defaultTimeouts, initial_delay_ms: 1 };
    const asked = { endpoint_url: peer.url, question: invitation };
    const said = await askPatiently({ lines, timers: systemTimers, policy }, asked, soon);
    expect(said.is).toBe('answered');
    expect(ids).toEqual(['q-1', 'q-1', 'q-1']);
  });

  it('ends after as many attempts as the policy has', async () => {
    let failures = 0;
    const policy = { ...defaultTimeouts, attempts: 2, initial_delay_ms: 1 };
    const peer = await httpPeer((_, response) => void response.destroy());
    const failed = () => void failures++;
    const asked = { endpoint_url: peer.url, question: invitation };
    await rejectionOf(askPatiently({ lines, timers: systemTimers, policy, failed }, asked, soon));
    expect(failures).toBe(2);
  });

  it('is read from timeout_policy.yaml', () => {
    expect(
      readTimeoutPolicy({ timeouts: { move: '2s', join: 3, attempts: 5, registration_window: '1m' } }),
    ).toMatchObject({
      ...{ move_ms: 2000, join_ms: 3000, attempts: 5, result_ms: 60_000, window_ms: 60_000 },
    });
    expect(readTimeoutPolicy(null)).toBe(defaultTimeouts);
    for (const wrong of [{ moves: 2 }, { move: 0 }, { move: 'soon' }, { attempts: 1.5 }, []])
      expect(() => readTimeoutPolicy(wrong)).toThrow(/timeout_policy/);
  });
});

describe('an address', () => {
  it('has the path that all agents have, where it has none', () => {
    expect(endpointOf('http://127.0.0.1:8001')).toBe('http://127.0.0.1:8001/mcp');
    expect(endpointOf('http://127.0.0.1:8001/other')).toBe('http://127.0.0.1:8001/other');
  });
});
