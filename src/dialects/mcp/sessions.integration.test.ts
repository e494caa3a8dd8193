import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Provider } from '../../core/ports/provider.ts';
import {
  ask,
  done,
  failed,
  modern,
  on,
  openMcp,
  type Script,
  startScripted,
  withSessions,
} from './scripted.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(script: Script, config: JsonObject = {}) {
  const started = await startScripted(script);
  const provider: Provider = openMcp({ url: started.url, ...config });
  ends.push(started.stop, () => provider.close?.());
  return { ...started, provider };
}

const echo = { content: [{ type: 'text', text: '"hello"' }] };

describe('which era a server is of', () => {
  it.each([401, 403, 429, 500, 503])('is not decided by HTTP %i', async (status) => {
    let refused = false;
    const { provider, methods } = await server(
      modern((turn) => {
        if (turn.method === 'server/discover' && !refused) {
          refused = true;
          turn.error(status, null, 'not now');
          return true;
        }
        if (turn.method !== 'tools/call') return false;
        turn.result({ resultType: 'complete', ...echo });
        return true;
      }),
    );
    expect((await ask(provider, 'tools/call', { name: 'echo' })).word).toBe('failed');
    expect(await done(ask(provider, 'tools/call', { name: 'echo' }))).toMatchObject(echo);
    expect(methods()).not.toContain('initialize');
  });

  it('is the newer where a revision is refused; nothing is begun in the older then', async () => {
    const { provider, methods } = await server((turn) =>
      turn.error(400, {
        code: -32022,
        message: 'Unsupported',
        data: { supported: ['2030-01-01'], requested: '?' },
      }),
    );
    expect(await failed(ask(provider, 'tools/list'))).toMatchObject({
      message: expect.stringContaining('2030-01-01'),
      data: { error_code: 'GLZ2010' },
    });
    expect(methods()).toEqual(['server/discover']);
  });

  it('is found out once, whoever asks, and again when the server has become another', async () => {
    const older = withSessions(
      (turn) =>
        turn.headers['mcp-session-id'] !== undefined && on('tools/call', ({ result }) => result(echo))(turn),
    );
    const newer = modern(on('tools/call', ({ result }) => result({ resultType: 'complete', ...echo })));
    let now = newer;
    const { provider, methods } = await server((turn) => now(turn));
    await Promise.all([1, 2, 3].map(() => done(ask(provider, 'tools/call', { name: 'echo' }))));
    expect(methods().filter((method) => method === 'server/discover')).toHaveLength(1);
    now = older;
    expect(await done(ask(provider, 'tools/call', { name: 'echo' }))).toEqual(echo);
    expect(methods().slice(-4)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
  });
});

describe('a session that was lost', () => {
  it('is begun anew once, however late others hear of it', async () => {
    const [both, renewed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lost = { code: -32001, message: 'Session not found' };
    let asked = 0;
    const { provider, methods } = await server(
      withSessions(
        on('tools/call', async (turn) => {
          if (turn.headers['mcp-session-id'] !== 'session-1') return turn.result(echo);
          const late = ++asked === 2;
          if (late) both.resolve();
          await both.promise;
          if (late) await renewed.promise;
          turn.error(404, lost);
        }),
      ),
    );
    const calls = [1, 2].map(() => done(ask(provider, 'tools/call', { name: 'echo' })));
    await Promise.race(calls);
    renewed.resolve();
    await Promise.all(calls);
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it.each([
    { status: 404, error: null, text: 'Not Found' },
    { status: 404, error: { code: -32001, message: 'Session not found' }, text: '' },
    { status: 410, error: null, text: 'gone' },
    { status: 400, error: { code: -32000, message: 'Bad Request: No valid session ID provided' }, text: '' },
    { status: 503, error: null, text: 'session expired' },
  ])('is begun anew, once, and the call is made again: %j', async ({ status, error, text }) => {
    let calls = 0;
    const { provider, seen, methods } = await server(
      withSessions((turn) => {
        if (turn.method !== 'tools/call') return false;
        if (++calls === 2) turn.error(status, error, text);
        else turn.result(echo);
        return true;
      }),
    );
    await done(ask(provider, 'tools/call', { name: 'echo' }));
    expect(await done(ask(provider, 'tools/call', { name: 'echo' }))).toEqual(echo);
    const sent = seen.filter(({ method }) => method === 'tools/call');
    expect(sent.map(({ headers }) => headers['mcp-session-id'])).toEqual([
      'session-1',
      'session-1',
      'session-2',
    ]);
    expect(sent[1]?.id).toBe(sent[2]?.id);
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('and lost again is an error, not a loop', async () => {
    const { provider, methods } = await server(
      withSessions(on('tools/call', ({ error }) => error(404, null, 'Not Found'))),
    );
    expect(await failed(ask(provider, 'tools/call', { name: 'echo' }))).toMatchObject({
      data: { error_code: 'GLZ2010' },
    });
    expect(methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  it('a method that is not there is no lost session', async () => {
    const { provider, methods } = await server(
      withSessions((turn) => {
        if (turn.method !== 'prompts/list') return false;
        turn.error(404, { code: -32601, message: 'Method not found' });
        return true;
      }),
    );
    expect(await failed(ask(provider, 'prompts/list'))).toMatchObject({ data: { remote_code: -32601 } });
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('says the revision that was agreed on, and ends its session when it is closed', async () => {
    const { provider, seen } = await server(withSessions(() => false));
    await ask(provider, 'tools/list');
    await provider.close?.();
    expect(seen.at(-1)).toMatchObject({
      method: 'HTTP DELETE',
      headers: { 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25' },
    });
  });
});
