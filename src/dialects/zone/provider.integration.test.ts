import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { type Page, type PatientZone, startPatient } from './peer.suite.ts';

const CALL = '01980000-0000-7000-8000-000000000001';
const params = { channel: 'C1', text: 'hello', bot_token: 'xoxb-kept-nowhere' };

function open({ url }: Pick<PatientZone, 'url'>) {
  const config = { url: `${url}/zone`, poll: 0.01, result: '/response_text' };
  return createProvider({ id: 'z', protocol: 'chat/v1', type: 'execution-zone', config }, realParts);
}

/** A call whose keeping is seen. */
function callOf(kept: Json | undefined, signal: AbortSignal, attempt = 1) {
  const written: Json[] = [];
  const call: ProviderCall = {
    ...{ method: 'ask', params, call_id: CALL, task_id: CALL, workflow_id: null, attempt, signal, kept },
    keep: async (one) => {
      written.push(one);
      return true;
    },
  };
  return { call, written };
}

describe('a task that another zone accepted', () => {
  it('is asked for until it is done, also by the attempt after the engine was gone', async () => {
    const zone = await startPatient();
    const first = open(zone);
    const { call, written } = callOf(undefined, new AbortController().signal);
    const left = first.call(call);
    await expect
      .poll(() => zone.asked.filter(({ method }) => method !== 'execute_task').length)
      .toBeGreaterThan(1);
    expect(written).toEqual([{ request_id: CALL }, { request_id: CALL, task_id: `task-of-${CALL}` }]);
    expect(JSON.stringify(written)).not.toContain('xoxb');
    await first.close?.();
    await left;
    const second = open(zone);
    zone.finish();
    const { call: again } = callOf(written.at(-1), new AbortController().signal, 2);
    expect(await second.call(again)).toEqual({
      word: 'done',
      result: JSON.stringify(`done: task-of-${CALL}`),
    });
    expect(zone.asked.filter(({ method }) => method === 'execute_task')).toHaveLength(1);
    await second.close?.();
    await zone.stop();
  });

  it('is sent again under the same id where nobody knows whether it arrived', async () => {
    const zone = await startPatient();
    const provider = open(zone);
    zone.cut(1);
    zone.finish();
    const { call, written } = callOf(undefined, new AbortController().signal);
    expect(await provider.call(call)).toMatchObject({ word: 'again' });
    const { call: again } = callOf(written.at(-1), new AbortController().signal, 2);
    expect(await provider.call(again)).toMatchObject({ word: 'done' });
    const ids = zone.asked.filter(({ method }) => method === 'execute_task').map(({ id }) => id);
    expect(ids).toEqual([CALL, CALL]);
    await provider.close?.();
    await zone.stop();
  });

  it('has another id where the zone told of a failure before', async () => {
    const zone = await startPatient();
    const provider = open(zone);
    zone.finish();
    await provider.call(callOf(undefined, new AbortController().signal, 1).call);
    await provider.call(callOf(undefined, new AbortController().signal, 2).call);
    const ids = zone.asked.filter(({ method }) => method === 'execute_task').map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    await provider.close?.();
    await zone.stop();
  });
});

const page = { status: 200, body: '<h1>It works!</h1>' };
const bad: readonly (readonly [string, number | Page])[] = [
  ['a page for people', page],
  ['HTTP 404', { status: 404, body: 'not found' }],
  ['HTTP 401', { status: 401, body: 'who are you?' }],
  ['HTTP 500', { status: 500, body: 'oh' }],
  ...[-32600, -32603, -32006, -32007, -32008].map((code) => [`the error ${code}`, code] as const),
];

/** The attempts of one task against a zone, each with what the one before it kept. */
async function attempts(zone: PatientZone) {
  const provider = open(zone);
  const { signal } = new AbortController();
  let kept: Json | undefined;
  return {
    next: async (attempt: number) => {
      const { call, written } = callOf(kept, signal, attempt);
      const answer = await provider.call(call);
      kept = written.at(-1) ?? kept;
      return answer;
    },
    ids: () => zone.asked.filter(({ method }) => method === 'execute_task').map(({ id }) => id),
    polls: () => zone.asked.filter(({ method }) => method !== 'execute_task').length,
    close: async () => {
      await provider.close?.();
      await zone.stop();
    },
  };
}

describe('an answer that says nothing of the task', () => {
  it.each(bad)('does not end one that was accepted: %s', async (_, answer) => {
    const zone = await startPatient();
    const task = await attempts(zone);
    zone.later(answer, answer);
    zone.finish();
    expect(await task.next(1)).toMatchObject({ word: 'done' });
    expect(task.polls()).toBe(3);
    await task.close();
  });

  it('again and again is left for a while, and asked for after it', async () => {
    const zone = await startPatient();
    const task = await attempts(zone);
    zone.later(page, page, page, page, -32007);
    zone.finish();
    expect(await task.next(1)).toMatchObject({ word: 'again' });
    expect(task.polls()).toBe(5);
    expect(await task.next(2)).toMatchObject({ word: 'done' });
    expect(task.ids()).toEqual([CALL]);
    await task.close();
  });

  it('does not count once there was another', async () => {
    const zone = await startPatient();
    const task = await attempts(zone);
    const four = [page, page, page, page];
    zone.later(...four, 'pending', ...four);
    zone.finish();
    expect(await task.next(1)).toMatchObject({ word: 'done' });
    await task.close();
  });

  it('and never can be read fails the task that was to be sent, after a few more times', async () => {
    const zone = await startPatient();
    const task = await attempts(zone);
    zone.cut(1);
    expect(await task.next(1)).toMatchObject({ word: 'again', after_ms: 1000 });
    zone.instead(page, page, page, page);
    for (const [attempt, after_ms] of [1000, 2000, 4000].entries())
      expect(await task.next(attempt + 2)).toMatchObject({ word: 'again', after_ms });
    expect(await task.next(5)).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ2005' } } });
    expect(task.ids()).toEqual(Array.from({ length: 5 }, () => CALL));
    await task.close();
  });

  it('is forgotten once the task was accepted', async () => {
    const zone = await startPatient();
    const task = await attempts(zone);
    zone.instead(page, page, page);
    for (const attempt of [1, 2, 3]) expect(await task.next(attempt)).toMatchObject({ word: 'again' });
    zone.later(page, page, page, page, page);
    expect(await task.next(4)).toMatchObject({ word: 'again', after_ms: 1000 });
    zone.finish();
    expect(await task.next(5)).toMatchObject({ word: 'done' });
    await task.close();
  });

  it.each([page, { status: 500, body: 'oh' }, -32603, -32006, -32007])(
    'to the task itself has it sent again under the same id: %j',
    async (answer) => {
      const zone = await startPatient();
      const task = await attempts(zone);
      zone.instead(answer);
      zone.finish();
      expect(await task.next(1)).toMatchObject({ word: 'again' });
      expect(await task.next(2)).toMatchObject({ word: 'done' });
      expect(task.ids()).toEqual([CALL, CALL]);
      await task.close();
    },
  );
});

describe('an end of the task', () => {
  it.each([
    [-32000, 'GLZ2010'],
    [-32001, 'GLZ2003'],
    [-32002, 'GLZ2010'],
    [-32004, 'GLZ2010'],
    [-32005, 'GLZ2010'],
    [-32050, 'GLZ2010'],
  ])('is one, whichever question hears of it: %i', async (remote_code, error_code) => {
    for (const when of ['instead', 'later'] as const) {
      const zone = await startPatient();
      const task = await attempts(zone);
      zone[when](remote_code);
      const failed = { word: 'failed', error: { data: { error_code, remote_code } } };
      expect(await task.next(1)).toMatchObject(failed);
      expect(task.polls()).toBe(when === 'later' ? 1 : 0);
      await task.close();
    }
  });

  it('that cannot be read where the result should be is not asked for again', async () => {
    const zone = await startPatient();
    const config = { url: `${zone.url}/zone`, poll: 0.01, result: '/nothing/there' };
    const spec = { id: 'z', protocol: 'chat/v1', type: 'execution-zone', config };
    const provider = createProvider(spec, realParts);
    zone.finish();
    const { call } = callOf(undefined, new AbortController().signal);
    expect(await provider.call(call)).toMatchObject({ error: { data: { error_code: 'GLZ2005' } } });
    await provider.close?.();
    await zone.stop();
  });
});

it('a configuration that names no zone, or two, is refused', () => {
  const check = (config: object) => () =>
    createProvider({ id: 'z', protocol: 'chat/v1', type: 'execution-zone', config }, realParts);
  expect(check({})).toThrow(/url/);
  expect(check({ url: 'http://127.0.0.1/zone', runtime_arn: 'arn:aws:x' })).toThrow(/not both/);
  expect(check({ runtime_arn: 'arn:aws:x' })).toThrow(/region/);
  expect(check({ url: 'ftp://127.0.0.1' })).toThrow(/url/);
  expect(check({ url: 'http://127.0.0.1/zone', key: 'plain' })).toThrow(/key/);
});
