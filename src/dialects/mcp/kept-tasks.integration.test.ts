import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import {
  ask,
  done,
  failed,
  modern,
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

/** What is waited between questions is over at once; a server still has its time to start. */
const timers = {
  ...realParts.timers,
  after: (ms: number, call: () => void) => realParts.timers.after(ms < 60_000 ? 0 : ms, call),
};

async function server(script: Script, config: JsonObject = {}) {
  const started = await startScripted(script);
  const provider: Provider = openMcp({ url: started.url, ...config }, { timers });
  ends.push(started.stop, () => provider.close?.());
  const count = (method: string) => started.methods().filter((one) => one === method).length;
  return { ...started, provider, count };
}

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

type States = readonly (string | ((turn: Turn) => void))[];
type Generation = 'extension' | 'experiment';

/** A server that makes a task of every call and answers questions about it with one state after another. */
function making(generation: Generation, states: States): Script {
  const left = [...states];
  let made = 0;
  const state = (taskId: string, status: string) => ({
    ...{ taskId, status, pollIntervalMs: 20, pollInterval: 20, ttl: null, ttlMs: null },
    ...(status === 'completed' && generation === 'extension' ? { result: text(`"${taskId}"`) } : {}),
  });
  const acts = (turn: Turn): boolean => {
    const { method, params } = turn;
    const taskId = String(params['taskId']);
    if (method === 'tools/call') {
      const task = state(`t${++made}`, 'working');
      turn.result(generation === 'extension' ? { resultType: 'task', ...task } : { task });
    } else if (method === 'tasks/get') {
      const next = (left.length > 1 ? left.shift() : left[0]) ?? 'completed';
      if (typeof next === 'string') turn.result({ resultType: 'complete', ...state(taskId, next) });
      else next(turn);
    } else if (method === 'tasks/result') turn.result(text(`"${taskId}"`));
    else if (method === 'tasks/cancel') turn.result({});
    else return false;
    return true;
  };
  return generation === 'extension' ? modern(acts) : withSessions(acts);
}

const forgets = ({ error }: Turn) => error(200, { code: -32602, message: 'no such task' });
const away = ({ error }: Turn) => error(503, null, 'starting');

/** Keeps what is kept, and says whether it is still ours. */
function shelf(ours = true) {
  const kept: Json[] = [];
  return {
    kept,
    keep: async (one: Json) => {
      kept.push(one);
      return ours;
    },
  };
}

describe.each(['extension', 'experiment'] as const)('a task of a server, kept (%s)', (generation) => {
  const handle = { mcp_task: 't1', generation, tool: 'answer' };

  it('is kept before it is asked for the first time', async () => {
    const { provider, methods } = await server(making(generation, ['working', 'completed']));
    const { kept, keep } = shelf();
    const before: string[][] = [];
    const noting = (one: Json) => {
      before.push(methods());
      return keep(one);
    };
    expect(await done(ask(provider, 'answer', {}, { keep: noting }))).toBe('t1');
    expect(kept).toEqual([handle]);
    expect(before[0]?.at(-1)).toBe('tools/call');
  });

  it('is gone on with by the next attempt, and the tool is not called again', async () => {
    const { provider, count, seen } = await server(making(generation, ['working', 'completed']));
    const { kept, keep } = shelf();
    expect(await done(ask(provider, 'answer', {}, { kept: handle, keep }))).toBe('t1');
    expect(count('tools/call')).toBe(0);
    expect(kept).toEqual([]);
    expect(seen.find(({ method }) => method === 'tasks/get')?.params).toMatchObject({ taskId: 't1' });
  });

  it('that the server has forgotten is begun anew, in the same attempt and once', async () => {
    for (const code of [-32602, -32601]) {
      const gone = ({ error }: Turn) => error(200, { code, message: 'no such task' });
      const { provider, count, seen } = await server(making(generation, [gone, 'completed']));
      const { kept, keep } = shelf();
      const old = { ...handle, mcp_task: 'of another life' };
      const answer = await done(ask(provider, 'answer', { a: 1 }, { kept: old, keep }));
      expect(answer).toBe('t1');
      expect(count('tools/call')).toBe(1);
      expect(kept).toEqual([handle]);
      const call = seen.find(({ method }) => method === 'tools/call');
      expect(call?.params).toMatchObject({ name: 'answer', arguments: { a: 1 } });
      expect(call?.id).toMatch(/^call-\d+$/);
    }
    const { provider } = await server(making(generation, [forgets]));
    expect(await failed(ask(provider, 'answer', {}, { ...shelf(), kept: handle }))).toMatchObject({
      message: 'the server does not know its task t1 any more: no such task',
      data: { error_code: 'GLZ2002' },
    });
  });

  it('of another tool, or of another dialect, is none', async () => {
    const others = [
      { ...handle, tool: 'other' },
      { ...handle, generation: 'third' },
      { a2a: '1.0' },
      'x',
      null,
    ];
    for (const kept of others) {
      const { provider, count } = await server(making(generation, ['completed']));
      expect(await done(ask(provider, 'answer', {}, { ...shelf(), kept }))).toBe('t1');
      expect(count('tools/call')).toBe(1);
    }
  });

  it('whose server cannot be asked for long is asked for later, and not begun anew', async () => {
    const { provider, count } = await server(making(generation, [away]));
    const { kept, keep } = shelf();
    expect(await ask(provider, 'answer', {}, { keep })).toMatchObject({ word: 'again', after_ms: 1000 });
    const again = await ask(provider, 'answer', {}, { kept: kept.at(-1), keep });
    expect(again).toMatchObject({ word: 'again', after_ms: 2000 });
    expect(kept).toEqual([handle, { ...handle, troubles: 1 }, { ...handle, troubles: 2 }]);
    expect(count('tools/call')).toBe(1);
  });

  it('whose server is never there again fails at last', async () => {
    const { provider } = await server(making(generation, [away]));
    const kept = { ...handle, troubles: 12 };
    expect(await failed(ask(provider, 'answer', {}, { ...shelf(), kept }))).toMatchObject({
      data: { error_code: 'GLZ2001' },
    });
  });

  it.each(['GLZ9002', 'GLZ3011'] as const)('goes on where the engine stops (%s)', async (code) => {
    const asked = Promise.withResolvers<void>();
    const script = making(generation, ['working']);
    const { provider, count } = await server((turn) => {
      if (turn.method === 'tasks/get') asked.resolve();
      script(turn);
    });
    const end = new AbortController();
    const answering = ask(provider, 'answer', {}, { ...shelf(), kept: undefined, signal: end.signal });
    await asked.promise;
    end.abort(new GleitzeitError(code, 'elsewhere'));
    expect((await failed(answering)).data.error_code).toBe(code);
    // A second call comes after whatever was said about the first.
    await ask(provider, 'ping');
    expect(count('tasks/cancel')).toBe(0);
  });

  it('is cancelled where the next attempt could not know of it', async () => {
    const cancelled = Promise.withResolvers<void>();
    const script = making(generation, ['working']);
    const { provider, count } = await server((turn) => {
      if (turn.method === 'tasks/cancel') cancelled.resolve();
      script(turn);
    });
    const { keep } = shelf(false);
    expect(await failed(ask(provider, 'answer', {}, { keep }))).toMatchObject({
      data: { error_code: 'GLZ3011' },
    });
    await cancelled.promise;
    expect(count('tasks/get')).toBe(0);
  });

  it('that was gone on with is cancelled with its call', async () => {
    const [asked, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const script = making(generation, ['working']);
    const { provider } = await server((turn) => {
      if (turn.method === 'tasks/get') asked.resolve();
      if (turn.method === 'tasks/cancel') cancelled.resolve();
      script(turn);
    });
    const end = new AbortController();
    const answering = ask(provider, 'answer', {}, { ...shelf(), kept: handle, signal: end.signal });
    await asked.promise;
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect((await failed(answering)).data.error_code).toBe('GLZ2009');
    await cancelled.promise;
  });
});

describe('a handle', () => {
  it('is not kept with a secret in it', async () => {
    const taskId = 'for-value-of-key';
    const { provider } = await server(
      modern((turn) => {
        const task = { taskId, status: turn.method === 'tools/call' ? 'working' : 'completed' };
        if (turn.method === 'tools/call') turn.result({ resultType: 'task', ...task, pollIntervalMs: 20 });
        else if (turn.method === 'tasks/get') turn.result({ ...task, result: text('1') });
        else return false;
        return true;
      }),
      { headers: { authorization: 'Bearer ${secrets.key}' } },
    );
    const { kept, keep } = shelf();
    expect(await done(ask(provider, 'answer', {}, { keep }))).toBe(1);
    expect(kept).toEqual([]);
  });

  it('of the older kind is asked again for a result that was cut off', async () => {
    let asked = 0;
    const script = making('experiment', ['completed']);
    const { provider, count } = await server((turn) => {
      if (turn.method === 'tasks/result' && ++asked === 1) turn.response.destroy();
      else script(turn);
    });
    expect(await done(ask(provider, 'answer'))).toBe('t1');
    expect([count('tools/call'), asked]).toEqual([1, 2]);
  });

  it('leads to a result though the tools cannot be listed', async () => {
    const script = making('extension', ['completed']);
    const { provider } = await server((turn) =>
      turn.method === 'tools/list' ? turn.error(503, null, 'not yet') : script(turn),
    );
    const kept = { mcp_task: 't1', generation: 'extension', tool: 'answer' };
    expect(await done(ask(provider, 'answer', {}, { ...shelf(), kept }))).toBe('t1');
  });
});
