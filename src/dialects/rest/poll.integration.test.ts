import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Progress } from '../../core/ports/provider.ts';
import { listening } from '../testing/listening.suite.ts';
import type { Reply, Seen } from './peer.suite.ts';
import { endScenes, errorOf, resultOf, scene } from './scene.suite.ts';

afterEach(endScenes);

/** Timers that end at once, and remember how long they should have taken. */
function instantTimers() {
  const waits: number[] = [];
  return {
    waits,
    after: (ms: number, call: () => void) => {
      waits.push(ms);
      const immediate = setImmediate(call);
      return () => clearImmediate(immediate);
    },
    soon: (call: () => void) => void setImmediate(call),
  };
}

const poll = {
  path: '/jobs/${answer.id}',
  until: { at: '/status', is: ['done', 'partial'] },
  failed: { at: '/status', is: 'failed', message: '/why' },
  progress: '/percent',
  total: '/of',
  message: '/doing',
};
const method = { path: '/jobs', body: '${params}', poll, result: { out: '/output', id: '${submitted.id}' } };

/** A service that takes a job and answers to each question with the next of the states. */
function jobs(...states: readonly (Reply | object)[]) {
  return ({ method: verb }: Seen, count: number): Reply => {
    if (verb === 'POST') return { status: 202, json: { id: 'j/1', status: 'queued' } };
    const state = states[Math.min(count - 2, states.length - 1)] ?? {};
    return 'status' in state && typeof state.status === 'number' ? (state as Reply) : { json: state };
  };
}

describe('a job that takes its time', () => {
  it('is asked for until it is done, less and less often, and tells how it is getting on', async () => {
    const timers = instantTimers();
    const told: Progress[] = [];
    const { call, seen } = await scene({
      method,
      answer: jobs(
        { status: 'running', percent: 10, of: 100, doing: 'reading' },
        { status: 'running', percent: 60 },
        { status: 'done', output: 'ready' },
      ),
      parts: { timers },
    });
    const answer = await call({ a: 1 }, { report: (progress) => told.push(progress) });
    expect(resultOf(answer)).toEqual({ out: 'ready', id: 'j/1' });
    expect(seen.map(({ method: verb, path }) => `${verb} ${path}`)).toEqual([
      'POST /jobs',
      'GET /jobs/j%2F1',
      'GET /jobs/j%2F1',
      'GET /jobs/j%2F1',
    ]);
    expect(told).toEqual([{ progress: 10, total: 100, message: 'reading' }, { progress: 60 }]);
    expect(timers.waits).toEqual([1000, 1500, 2250]);
  });

  it('may be done at once', async () => {
    const { call, seen } = await scene({
      method: { ...method, result: '/output' },
      answer: () => ({ json: { status: 'done', output: 1 } }),
    });
    expect(resultOf(await call())).toBe(1);
    expect(seen).toHaveLength(1);
  });

  it('is left alone as long as the service asks', async () => {
    const timers = instantTimers();
    const { call } = await scene({
      method: { ...method, poll: { ...poll, interval: '100ms', max_interval: '150ms' } },
      answer: ({ method: verb }, count) => ({
        json: { id: 1, status: verb === 'GET' && count > 4 ? 'done' : 'running' },
        headers: count === 2 ? { 'retry-after': '7' } : {},
      }),
      parts: { timers },
    });
    await call();
    expect(timers.waits).toEqual([100, 7000, 150, 150]);
  });

  it('fails with what the service says', async () => {
    const { call } = await scene({
      method,
      answer: jobs({ status: 'failed', why: 'the file is no audio' }),
      parts: { timers: instantTimers() },
    });
    expect(errorOf(await call())).toMatchObject({ class: 'rejected', message: 'the file is no audio' });
    const silent = await scene({
      method: { ...method, poll: { ...poll, failed: { at: '/error', class: 'server' } } },
      answer: jobs({ error: { odd: true } }),
      parts: { timers: instantTimers() },
    });
    expect(errorOf(await silent.call())).toMatchObject({ class: 'server', message: 'the job failed' });
  });

  it('is not begun anew where a question goes wrong and the next one does not', async () => {
    const timers = instantTimers();
    const { call, seen } = await scene({
      method,
      answer: jobs(
        { status: 503, headers: { 'retry-after': '4' } },
        { status: 500 },
        { status: 429 },
        { status: 'done', output: 1 },
      ),
      parts: { timers },
    });
    expect(resultOf(await call())).toMatchObject({ out: 1 });
    expect(seen.filter(({ method: verb }) => verb === 'POST')).toHaveLength(1);
    expect(timers.waits).toEqual([1000, 4000, 2250, 3375]);
  });

  it('is given up where questions go wrong again and again, or once for good', async () => {
    const down = await scene({ method, answer: jobs({ status: 503 }), parts: { timers: instantTimers() } });
    expect(errorOf(await down.call()).class).toBe('server');
    expect(down.seen).toHaveLength(6);
    const gone = await scene({ method, answer: jobs({ status: 404 }), parts: { timers: instantTimers() } });
    expect(errorOf(await gone.call()).class).toBe('rejected');
    expect(gone.seen).toHaveLength(2);
  });

  it('ends with its task, while it waits too, and leaves nothing behind', async () => {
    const waiting = Promise.withResolvers<void>();
    let cancelled = 0;
    const timers = {
      after: () => {
        waiting.resolve();
        return () => void cancelled++;
      },
      soon: () => {},
    };
    const { call } = await scene({ method, answer: jobs({}), parts: { timers } });
    const end = new AbortController();
    const answer = call({}, { signal: end.signal });
    await waiting.promise;
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect(errorOf(await answer).code).toBe('GLZ2009');
    expect(cancelled).toBe(1);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it('is found at the address the service names, in its answer or by header', async () => {
    const answer = ({ method: verb, path }: Seen): Reply => {
      if (verb === 'POST')
        return { status: 202, json: { links: { self: '/elsewhere/1' } }, headers: { location: '/there/1' } };
      return { json: { status: 'done', output: path } };
    };
    const timers = instantTimers();
    for (const [url, path] of [
      ['/links/self', '/elsewhere/1'],
      ['location', '/there/1'],
    ]) {
      const { path: _, ...rest } = poll;
      const mapped = { path: '/jobs', body: {}, poll: { ...rest, url }, result: '/output' };
      const { call } = await scene({ method: mapped, answer, parts: { timers } });
      expect(resultOf(await call())).toBe(path);
      const nowhere = await scene({ method: mapped, answer: () => ({ json: {} }), parts: { timers } });
      expect(errorOf(await nowhere.call())).toMatchObject({ code: 'GLZ2005' });
      const inside = await scene({
        method: mapped,
        answer: () => ({
          json: { links: { self: 'http://169.254.169.254/' } },
          headers: { location: 'http://10.0.0.1/' },
        }),
        parts: { timers },
      });
      expect(errorOf(await inside.call()).code).toBe('GLZ2010');
    }
  });

  it('may be told by its status, and have its result somewhere else', async () => {
    const { call, seen } = await scene({
      method: {
        path: '/jobs',
        body: {},
        poll: { path: '/jobs/${answer.id}', until: { status: 200 }, result_path: '/results/${answer.file}' },
        result: '/text',
      },
      answer: ({ path }, count) => {
        if (path.startsWith('/results/')) return { json: { text: 'here' } };
        if (count < 4) return { status: 202, json: { id: 1 } };
        return { json: { file: 'a b' } };
      },
      parts: { timers: instantTimers() },
    });
    expect(resultOf(await call())).toBe('here');
    expect(seen.at(-1)?.path).toBe('/results/a%20b');
  });

  it('may be hard to ask for a while, and again later', async () => {
    const away = (count: number) => (count > 1 && count < 6) || (count > 6 && count < 11);
    const { call, seen } = await scene({
      method,
      answer: (asked, count) =>
        away(count) ? { status: 503 } : jobs({ status: count < 11 ? 'running' : 'done' })(asked, count),
      parts: { timers: instantTimers() },
    });
    expect((await call()).word).toBe('done');
    expect(seen).toHaveLength(11);
  });

  it('tells nothing of what the service was told in confidence', async () => {
    const { report, told } = listening();
    const { call } = await scene({
      method,
      answer: (seen, count) => {
        const { authorization, 'x-key': key } = seen.headers;
        const state = { status: 'running', doing: `for ${authorization} and ${String(key)}` };
        return jobs(state, { status: 'done', output: 1 })(seen, count);
      },
      config: { headers: { authorization: 'Bearer ${secrets.token}', 'x-key': 'written-plainly' } },
      parts: { timers: instantTimers(), hidden: () => ['written-plainly'] },
    });
    await call({}, { report });
    expect(told()).toEqual({ message: 'for Bearer [secret] and [secret]' });
  });

  it('is asked for no more once the provider is closed', async () => {
    const waits: (() => void)[] = [];
    const waiting = Promise.withResolvers<void>();
    const timers = {
      soon: () => {},
      after: (_: number, due: () => void) => {
        waits.push(due);
        waiting.resolve();
        return () => void waits.splice(waits.indexOf(due), 1);
      },
    };
    const { call, close, seen } = await scene({ method, answer: jobs({}), parts: { timers } });
    const answer = call();
    await waiting.promise;
    await close();
    expect(errorOf(await answer)).toMatchObject({ code: 'GLZ2002', message: 'the provider is closed' });
    expect(waits).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  it('may take longer than one answer may', async () => {
    const { call } = await scene({
      method: { ...method, poll: { ...poll, interval: '60ms' } },
      answer: jobs({ status: 'running' }, { status: 'done', output: 1 }),
      config: { timeout: '100ms' },
    });
    expect(resultOf(await call())).toMatchObject({ out: 1 });
  });
});
