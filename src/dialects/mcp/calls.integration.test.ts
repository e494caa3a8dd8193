import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Progress, Provider } from '../../core/ports/provider.ts';
import { systemTimers } from '../../embedded/system.ts';
import { listening } from '../testing/listening.suite.ts';
import {
  ask,
  done,
  failed,
  modern,
  on,
  openMcp,
  type Script,
  startScripted,
  type Turn,
  withSessions,
} from './scripted.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(script: Script, config: JsonObject = {}, parts: Parameters<typeof openMcp>[1] = {}) {
  const started = await startScripted(script);
  const provider: Provider = openMcp({ url: started.url, ...config }, parts);
  ends.push(started.stop, () => provider.close?.());
  return { ...started, provider };
}

const complete = (value: JsonObject) => ({ resultType: 'complete', ...value });
const text = (words: string) => [{ type: 'text', text: words }];

/** Answers calls of tools in the newer era. */
function tool(answer: (turn: Turn, call: number) => void, tools: readonly JsonObject[] = []): Script {
  let calls = 0;
  return modern(
    on('tools/call', (turn) => answer(turn, ++calls)),
    tools,
  );
}

describe('a call that takes long', () => {
  it('keeps what the server was told in confidence out of its progress', async () => {
    const { provider } = await server(
      modern(
        on('tools/call', (turn) => {
          const say = turn.stream();
          const params = { progressToken: turn.id, progress: 1, message: 'got value-of-key' };
          say({ method: 'notifications/progress', params });
          say({ id: turn.id, result: complete({ content: text('done') }) });
          turn.response.end();
        }),
      ),
      { headers: { 'x-key': '${secrets.key}' } },
    );
    const { report, told } = listening();
    await done(ask(provider, 'slow', {}, { report }));
    expect(told()).toEqual({ progress: 1, message: 'got [secret]' });
  });

  it('asks for progress and hands it on; that it goes on keeps it alive', async () => {
    const reports: Progress[] = [];
    const { provider, seen } = await server(
      tool((turn) => {
        const say = turn.stream();
        const progressToken = (turn.params['_meta'] as JsonObject)['progressToken'] as Json;
        const step = (progress: number) => {
          if (progress === 6) return say({ id: turn.id, result: complete({ content: text('done') }) });
          say({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 5, message: 'on it' },
          });
          systemTimers.after(60, () => step(progress + 1));
        };
        step(1);
      }),
      { idle_timeout: '200ms' },
    );
    const report = (progress: Progress) => reports.push(progress);
    await done(ask(provider, 'tools/call', { name: 'long' }, { report }));
    expect(reports).toEqual([1, 2, 3, 4, 5].map((progress) => ({ progress, total: 5, message: 'on it' })));
    expect(seen.at(-1)?.params['_meta']).toMatchObject({ progressToken: seen.at(-1)?.id });
  });

  it('ends where nothing is heard of it, or at the hard limit whatever is heard', async () => {
    const silent = await server(
      tool((turn) => void turn.stream()),
      { idle_timeout: '60ms' },
    );
    expect(await failed(ask(silent.provider, 'tools/call', { name: 'x' }))).toMatchObject({
      message: 'no sign of life for 0.06 s',
      data: { error_code: 'GLZ2003' },
    });
    const busy = tool((turn) => {
      const say = turn.stream();
      const go = () => {
        say({ method: 'notifications/progress', params: { progressToken: turn.id, progress: 1 } });
        if (!turn.response.destroyed) systemTimers.after(20, go);
      };
      go();
    });
    const endless = await server(busy, { idle_timeout: '1s', timeout: '150ms' });
    expect(await failed(ask(endless.provider, 'tools/call', { name: 'x' }))).toMatchObject({
      message: 'no answer within 0.15 s',
      data: { error_code: 'GLZ2003' },
    });
  });
});

describe('a call that is given up', () => {
  const reason = new GleitzeitError('GLZ2009', 'cancelled');

  it('is cancelled by closing its stream in the newer era', async () => {
    const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { provider, methods } = await server(
      tool((turn) => {
        turn.stream();
        turn.response.on('close', closed.resolve);
        begun.resolve();
      }),
    );
    const end = new AbortController();
    const answering = ask(provider, 'tools/call', { name: 'x' }, { signal: end.signal });
    await begun.promise;
    end.abort(reason);
    expect(await failed(answering)).toMatchObject({ data: { error_code: 'GLZ2009' } });
    await closed.promise;
    expect(methods()).not.toContain('notifications/cancelled');
  });

  it('is cancelled by a notification in the older era', async () => {
    const [begun, told] = [Promise.withResolvers<string>(), Promise.withResolvers<JsonObject>()];
    const { provider } = await server(
      withSessions((turn) => {
        if (turn.method === 'notifications/cancelled') told.resolve(turn.params);
        if (turn.method !== 'tools/call') return false;
        turn.stream();
        begun.resolve(turn.id);
        return true;
      }),
    );
    const end = new AbortController();
    const answering = ask(provider, 'tools/call', { name: 'x' }, { signal: end.signal });
    const requestId = await begun.promise;
    end.abort(reason);
    expect(await failed(answering)).toMatchObject({ data: { error_code: 'GLZ2009' } });
    expect(await told.promise).toMatchObject({ requestId });
  });
});

describe('lists', () => {
  it('are read to the last page: an empty cursor is one, and one that comes again is the end', async () => {
    const cursors = ['', 'b', ''];
    let page = 0;
    const { provider, seen } = await server(
      modern((turn) => {
        if (turn.method !== 'prompts/list') return false;
        turn.result(complete({ prompts: [{ name: `p${page}` }], nextCursor: cursors[page++] ?? 'never' }));
        return true;
      }),
    );
    expect(await done(ask(provider, 'prompts/list'))).toMatchObject({
      prompts: [{ name: 'p0' }, { name: 'p1' }, { name: 'p2' }],
    });
    const asked = seen
      .filter(({ method }) => method === 'prompts/list')
      .map(({ params }) => params['cursor']);
    expect(asked).toEqual([undefined, '', 'b']);
    expect(await done(ask(provider, 'prompts/list', { cursor: 'x' }))).toMatchObject({ nextCursor: 'never' });
  });

  it('name tools after their provider where that was asked for, and such names can be called', async () => {
    const script = tool(
      ({ result, params }) => result(complete({ content: text(String(params['name'])) })),
      [{ name: 'a' }],
    );
    const { provider } = await server(script, { namespaced: true });
    expect(await done(ask(provider, 'tools/list'))).toMatchObject({ tools: [{ name: 'scripted.a' }] });
    expect(await done(ask(provider, 'tools/call', { name: 'scripted.a' }))).toMatchObject({
      content: text('a'),
    });
  });
});

describe('what a tool gives', () => {
  it('is called by a name that every object has', async () => {
    const { provider, seen } = await server(
      modern(on('tools/call', (turn) => turn.result(complete({ content: text('made') })))),
      { tools: { search: 'web_search' } },
      { methods: ['search', 'constructor'] },
    );
    expect(await done(ask(provider, 'constructor'))).toBe('made');
    expect(seen.at(-1)?.params).toMatchObject({ name: 'constructor' });
  });

  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const judge = () => (value: Json) => ((value as JsonObject)['n'] === undefined ? '"n" is missing' : null);
  const listed = [{ name: 'count', inputSchema: { type: 'object' }, outputSchema: schema }];
  const giving = (value: JsonObject) => tool(({ result }) => result(complete(value)), listed);

  it.each([
    [{ structuredContent: { n: 1 }, content: text('one') }, { n: 1 }],
    [{ content: text('{"n":1}') }, { n: 1 }],
    [{ content: text('as it is') }, 'as it is'],
    [
      { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] },
      [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
    ],
  ])('%j is the result %j of the method it is behind', async (given, value) => {
    const { provider } = await server(giving(given));
    expect(await done(ask(provider, 'count'))).toEqual(value);
  });

  it('is an error where the tool says so, whatever its schema says', async () => {
    const { provider } = await server(
      giving({ isError: true, structuredContent: { odd: 1 }, content: text('no numbers today') }),
      { output_schema: 'strict' },
      { judge },
    );
    expect(await failed(ask(provider, 'count'))).toMatchObject({
      message: 'no numbers today',
      data: { error_code: 'GLZ2001', details: { odd: 1 } },
    });
  });

  it.each([
    ['strict', 'failed', 0],
    ['warn', 'done', 1],
    ['off', 'done', 0],
  ])('that does not fit its schema is, by %s, %s', async (output_schema, word, warnings) => {
    const warned: unknown[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (...told: unknown[]) => warned.push(told),
    };
    const { provider } = await server(
      giving({ structuredContent: {} }),
      { output_schema },
      { judge, logger },
    );
    expect((await ask(provider, 'count')).word).toBe(word);
    expect(warned).toHaveLength(warnings);
  });

  it('is found out again where headers were missing that the server has come to want', async () => {
    const { provider, methods } = await server(
      tool((turn, call) =>
        call === 1
          ? turn.error(400, { code: -32020, message: 'Header mismatch' })
          : turn.result(complete({ content: [] })),
      ),
    );
    await done(ask(provider, 'tools/call', { name: 'x' }));
    expect(methods().slice(1)).toEqual(['tools/list', 'tools/call', 'tools/list', 'tools/call']);
  });
});

describe('a tool that the server does not have', () => {
  const refuse = (turn: Turn) => {
    const say = turn.stream();
    say({ id: turn.id, error: { code: -32602, message: 'Unknown tool' } });
    turn.response.end();
  };
  const other = { name: 'other', inputSchema: { type: 'object' } };

  it('is one that it neither lists nor takes, and of which it is not asked again', async () => {
    const { provider } = await server(tool(refuse, [other]));
    expect((await failed(ask(provider, 'absent', {}))).data).toMatchObject({
      error_code: 'GLZ2010',
      fault: 'method',
    });
    expect([provider.hasMethod('absent'), provider.hasMethod('other')]).toEqual([false, true]);
  });

  it('is not one that it lists, whatever it says of a call', async () => {
    const { provider } = await server(tool(refuse, [other]));
    expect((await failed(ask(provider, 'other', {}))).data.fault).toBeUndefined();
  });
});
