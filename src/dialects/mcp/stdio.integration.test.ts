import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import { stdioChannel } from '../../rpc/stdio/channel.ts';
import { realChannels } from '../jsonrpc/channels.suite.ts';
import { ask, done, failed, openMcp } from './scripted.suite.ts';

const program = fileURLToPath(new URL('./odd-server.suite.ts', import.meta.url));
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function open(habit: string, config: JsonObject = {}, parts: Parameters<typeof openMcp>[1] = {}) {
  const provider = openMcp(
    { command: [process.execPath, program, habit], start_timeout: '4s', ...config },
    parts,
  );
  ends.push(() => provider.close?.());
  return provider;
}

describe('a program that is asked what it is', () => {
  it.each(['exits', 'silent', 'confused'])('and %s is begun with a session', async (habit) => {
    const provider = open(habit);
    const params = { name: 'echo', arguments: { n: 1 } };
    expect(await done(ask(provider, 'tools/call', params))).toEqual({
      content: [{ type: 'text', text: '{"n":1}' }],
    });
    expect(await done(ask(provider, 'echo', { n: 2 }))).toEqual({ n: 2 });
  });

  it('is not asked where the configuration says what it is', async () => {
    const provider = open('exits', { version: '2025-06-18' });
    expect(await done(ask(provider, 'echo', { n: 1 }))).toEqual({ n: 1 });
  });

  it('and cannot be started is an error that says so', async () => {
    const provider = openMcp({ command: ['/nowhere/mcp'] });
    expect(await failed(ask(provider, 'echo'))).toMatchObject({
      message: expect.stringContaining('no such program'),
      data: { error_code: 'GLZ2002' },
    });
  });

  it('is told which request is not waited for any more', async () => {
    const told = Promise.withResolvers<string>();
    const thinks = Promise.withResolvers<void>();
    const logger = {
      debug: (_: string, fields = {}) =>
        void (JSON.stringify(fields).includes('no JSON') && thinks.resolve()),
      info: (_: string, fields: object = {}) => told.resolve(JSON.stringify(fields)),
      warn: () => {},
      error: () => {},
    };
    const channels = {
      ...realChannels,
      stdio: ({ cwd: _, env, ...target }: Parameters<typeof realChannels.stdio>[0]) =>
        stdioChannel({
          ...target,
          env: env(),
          environment: process.env,
          logger,
          clock: systemClock,
          timers: systemTimers,
        }),
    };
    const provider = open('silent', { version: '2025-06-18' }, { channels });
    const end = new AbortController();
    const answering = ask(provider, 'tools/call', { name: 'think' }, { signal: end.signal });
    await thinks.promise;
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect(await failed(answering)).toMatchObject({ data: { error_code: 'GLZ2009' } });
    expect(await told.promise).toMatch(/cancelled call-\d+/);
  });
});
