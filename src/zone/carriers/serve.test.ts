import { describe, expect, it } from 'vitest';
import type { Caller } from '../../rpc/listener/route.ts';
import type { Endpoint } from '../carrier.ts';
import { EXECUTE_TASK } from '../contract/methods.ts';
import { writeRequest } from '../contract/request.ts';
import { dispatchTo, endpointFor } from './serve.ts';

const body = writeRequest({
  id: '6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d',
  method: EXECUTE_TASK,
  params: { channel: 'C1', text: 'hello', bot_token: 'xoxb-1' },
});
const never = new AbortController().signal;

/** Answers when the signal it is given aborts. */
const patient: Endpoint = (_, { signal = never } = {}) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('it goes on'), { once: true }));

function open(endpoint: Endpoint) {
  const [gone, stopping] = [new AbortController(), new AbortController()];
  const dispatch = dispatchTo<{ caller?: Caller }>({ endpoint, stopping: stopping.signal });
  const handle = (caller?: Caller) =>
    dispatch.handle(body, caller === undefined ? {} : { caller }, gone.signal);
  return { gone, stopping, handle };
}

describe('whoever waits for a result', () => {
  it.each(['gone', 'stopping'] as const)('is answered with what there is: %s', async (which) => {
    const site = open(patient);
    const waiting = [site.handle(), site.handle()];
    site[which].abort();
    const answer = { text: 'it goes on', status: 200 };
    expect(await Promise.all(waiting)).toEqual([answer, answer]);
  });

  it('does not wait at all where the server stops already', async () => {
    const { stopping, handle } = open(async (_, { signal = never } = {}) => String(signal.aborted));
    stopping.abort();
    expect(await handle()).toEqual({ text: 'true', status: 200 });
  });
});

describe('whoever is known', () => {
  const said: Endpoint = async () => 'said';

  it.each([
    ['viewer', false],
    ['bridge', false],
    ['operator', true],
    ['admin', true],
  ] as const)('may have tasks run as %s: %s', async (role, may) => {
    const caller = { name: 'somebody', role };
    const { text } = await open(said).handle(caller);
    if (may) expect(text).toBe('said');
    else expect(JSON.parse(String(text))).toMatchObject({ error: { code: -32008 } });
    expect((await endpointFor(caller, said)(Buffer.from(body))) === 'said').toBe(may);
  });
});
