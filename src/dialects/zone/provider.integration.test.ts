import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { type PatientZone, startPatient } from './peer.suite.ts';

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

it('a configuration that names no zone, or two, is refused', () => {
  const check = (config: object) => () =>
    createProvider({ id: 'z', protocol: 'chat/v1', type: 'execution-zone', config }, realParts);
  expect(check({})).toThrow(/url/);
  expect(check({ url: 'http://127.0.0.1/zone', runtime_arn: 'arn:aws:x' })).toThrow(/not both/);
  expect(check({ runtime_arn: 'arn:aws:x' })).toThrow(/region/);
  expect(check({ url: 'ftp://127.0.0.1' })).toThrow(/url/);
  expect(check({ url: 'http://127.0.0.1/zone', key: 'plain' })).toThrow(/key/);
});
