import { afterEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import type { Reply, Seen } from './peer.suite.ts';
import { endScenes, errorOf, resultOf, scene } from './scene.suite.ts';

afterEach(endScenes);

/** What is waited between questions is over at once. */
const timers = {
  ...realParts.timers,
  after: (_: number, call: () => void) => realParts.timers.after(0, call),
};
const parts = { timers };

const poll = { path: '/jobs/${answer.id}', until: { at: '/status', is: 'done' } };
const method = { path: '/jobs', body: '${params}', poll, result: { out: '/output', id: '${submitted.id}' } };

/** Takes jobs, and answers questions with one state after another. */
function jobs(taken: Reply, ...states: readonly Reply[]) {
  let asked = 0;
  return ({ method: verb }: Seen): Reply =>
    verb === 'POST' ? taken : (states[Math.min(asked++, states.length - 1)] ?? {});
}
const took = { status: 202, json: { id: 'j/1', status: 'queued', note: 'not for the shelf' } };
const busy = { json: { status: 'running' } };
const ready = { json: { status: 'done', output: 'ready' } };

function shelf(ours = true) {
  const kept: Json[] = [];
  const keep = async (one: Json) => {
    kept.push(one);
    return ours;
  };
  return { kept, keep };
}

const posts = (seen: readonly Seen[]) => seen.filter(({ method: verb }) => verb === 'POST').length;

describe('a job that was submitted', () => {
  it('is kept before it is asked for, and only what it is found by', async () => {
    const { call, seen, url } = await scene({ method, answer: jobs(took, busy, ready), parts });
    const { kept, keep } = shelf();
    const before: number[] = [];
    const noting = (one: Json) => {
      before.push(seen.length);
      return keep(one);
    };
    expect(resultOf(await call({ a: 1 }, { keep: noting }))).toEqual({ out: 'ready', id: 'j/1' });
    expect(kept).toEqual([{ rest_job: `${url}/`, answer: { id: 'j/1' } }]);
    expect(before).toEqual([1]);
  });

  it('that is done at once is not kept', async () => {
    const { call } = await scene({ method, answer: () => ready, parts });
    const { kept, keep } = shelf();
    await call({}, { keep });
    expect(kept).toEqual([]);
  });

  it('is asked for by the next attempt, and not submitted again', async () => {
    const { call, seen, url } = await scene({ method, answer: jobs(took, busy, ready), parts });
    const kept = { rest_job: `${url}/`, answer: { id: 'j/1' } };
    expect(resultOf(await call({}, { ...shelf(), kept }))).toEqual({ out: 'ready', id: 'j/1' });
    expect(seen.map(({ method: verb, path }) => `${verb} ${path}`)).toEqual([
      'GET /jobs/j%2F1',
      'GET /jobs/j%2F1',
    ]);
  });

  it.each([404, 410])('that the service has lost (%i) is begun anew, in the same attempt', async (status) => {
    const { call, seen, url } = await scene({ method, answer: jobs(took, { status }, ready), parts });
    const { kept, keep } = shelf();
    const old = { rest_job: `${url}/`, answer: { id: 'old' } };
    expect(resultOf(await call({}, { kept: old, keep }))).toEqual({ out: 'ready', id: 'j/1' });
    expect(seen.map(({ path }) => path)).toEqual(['/jobs/old', '/jobs', '/jobs/j%2F1']);
    expect(kept).toHaveLength(1);
  });

  it('that is refused for another reason is not begun anew', async () => {
    const { call, seen, url } = await scene({ method, answer: jobs(took, { status: 403 }), parts });
    const kept = { rest_job: `${url}/`, answer: { id: 'j/1' } };
    expect(errorOf(await call({}, { ...shelf(), kept })).class).toBe('rejected');
    expect(posts(seen)).toBe(0);
  });

  it('of another service, mapping or dialect is none', async () => {
    const url = 'http://127.0.0.1:1/';
    const others = (base: string): Json[] => [
      { rest_job: url, answer: { id: 1 } },
      { rest_job: base, answer: {} },
      { rest_job: base },
      { rest_job: base, answer: { id: 1 }, url: `${base}elsewhere`, foreign: false },
      { mcp_task: 't' },
      null,
      'x',
    ];
    for (const index of others('').keys()) {
      const { call, seen, url: base } = await scene({ method, answer: jobs(took, ready), parts });
      const kept = others(`${base}/`)[index];
      expect(resultOf(await call({}, { ...shelf(), kept }))).toMatchObject({ out: 'ready' });
      expect(posts(seen)).toBe(1);
    }
  });

  it('is found at the address that the service named, with what else the mapping reads', async () => {
    const answer = ({ method: verb, path, query, body }: Seen, count: number): Reply => {
      if (path === '/upload') return { json: { file: 'f1', secret: 'x' } };
      if (path === '/jobs') return { json: { n: 1 }, headers: { location: '/there/1?a=b', 'x-node': 'n7' } };
      return { json: { status: count < 4 ? 'running' : 'done', at: `${verb} ${path}?${query} ${body}` } };
    };
    const { path: _, ...rest } = poll;
    const asking = {
      ...rest,
      url: 'location',
      method: 'POST',
      body: { node: '${http.headers.x-node}', file: '${before.file}' },
    };
    const mapped: JsonObject = {
      before: { path: '/upload', body: {} },
      path: '/jobs',
      body: {},
      poll: asking as JsonObject,
      result: { at: '/at', n: '${submitted.n}' },
    };
    const { call, seen, url } = await scene({ method: mapped, answer, parts });
    const { kept, keep } = shelf();
    const expected = { at: 'POST /there/1?a=b {"node":"n7","file":"f1"}', n: 1 };
    expect(resultOf(await call({}, { keep }))).toEqual(expected);
    expect(kept).toEqual([
      {
        rest_job: `${url}/`,
        answer: { n: 1 },
        http: { headers: { 'x-node': 'n7' } },
        before: { file: 'f1' },
        url: `${url}/there/1?a=b`,
        foreign: false,
      },
    ]);
    const until = seen.length;
    expect(resultOf(await call({}, { ...shelf(), kept: kept[0] }))).toEqual(expected);
    expect(seen.slice(until).map(({ path }) => path)).toEqual(['/there/1']);
  });

  it('keeps its address within the guard', async () => {
    const { path: _, ...rest } = poll;
    const mapped = { path: '/jobs', body: {}, poll: { ...rest, url: '/self' }, result: '/output' };
    const { call, url, seen } = await scene({ method: mapped, answer: () => ready, parts });
    const kept = { rest_job: `${url}/`, url: 'http://169.254.169.254/', foreign: false };
    expect(errorOf(await call({}, { ...shelf(), kept })).code).toBe('GLZ2010');
    expect(seen).toEqual([]);
  });

  it('reads places in lists as it did', async () => {
    const mapped = {
      path: '/jobs',
      body: {},
      poll: { path: '/jobs/${answer.jobs[1].id}', until: { at: '/status', is: 'done' } },
      result: '/output',
    };
    const list = { json: { jobs: [{ id: 'a' }, { id: 'b', more: 1 }, { id: 'c' }] } };
    const { call, url, seen } = await scene({ method: mapped, answer: jobs(list, ready), parts });
    const { kept, keep } = shelf();
    await call({}, { keep });
    expect(kept).toEqual([{ rest_job: `${url}/`, answer: { jobs: [null, { id: 'b' }] } }]);
    await call({}, { ...shelf(), kept: kept[0] });
    expect(seen.map(({ path }) => path)).toEqual(['/jobs', '/jobs/b', '/jobs/b']);
  });

  it.each([
    ['a secret of the service', { id: 'for-value-of-token' }],
    ['more than can be kept', { id: 'x'.repeat(17_000) }],
  ])('is not kept with %s in it', async (_, json) => {
    const { call } = await scene({
      method: { ...method, poll: { ...poll, path: '/jobs/1', query: { short: '${answer.id}' } } },
      answer: ({ method: verb }) => (verb === 'POST' ? { json } : ready),
      config: { headers: { authorization: 'Bearer ${secrets.token}' } },
      parts,
    });
    const { kept, keep } = shelf();
    const answer = await call({}, { keep });
    expect(kept).toEqual([]);
    expect(JSON.stringify(answer)).not.toContain('GLZ2005');
  });

  it('whose service cannot be asked for long is asked for later, its result too', async () => {
    const away = { status: 503, headers: { 'retry-after': '4' } };
    const { call, seen } = await scene({ method, answer: jobs(took, away), parts });
    const { kept, keep } = shelf();
    expect(await call({}, { keep })).toMatchObject({ word: 'again', after_ms: 4000 });
    expect(await call({}, { keep, kept: kept.at(-1) })).toMatchObject({ word: 'again' });
    expect(kept.map((one) => (one as JsonObject)['troubles'])).toEqual([undefined, 1, 2]);
    expect(posts(seen)).toBe(1);
    const last = { ...(kept.at(-1) as JsonObject), troubles: 12 };
    expect(errorOf(await call({}, { keep, kept: last })).class).toBe('server');

    const apart = await scene({
      method: { ...method, poll: { ...poll, result_path: '/results/${submitted.id}' } },
      answer: ({ path, method: verb }, count) => {
        if (verb === 'POST') return took;
        if (path.startsWith('/results/')) return count < 8 ? { status: 502 } : ready;
        return { json: { status: 'done' } };
      },
      parts,
    });
    const second = shelf();
    expect(await apart.call({}, { keep: second.keep })).toMatchObject({ word: 'again' });
    const answer = await apart.call({}, { keep: second.keep, kept: second.kept.at(-1) });
    expect(resultOf(answer)).toEqual({ out: 'ready', id: 'j/1' });
    expect(posts(apart.seen)).toBe(1);
  });

  it('is left alone where the task is in other hands', async () => {
    const { call, seen } = await scene({ method, answer: jobs(took, ready), parts });
    expect(errorOf(await call({}, { keep: shelf(false).keep })).code).toBe('GLZ3011');
    expect(seen).toHaveLength(1);
  });
});
