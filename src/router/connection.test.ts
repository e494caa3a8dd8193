import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { errorRecord } from '../core/errors.ts';
import type { Provider } from '../core/ports/provider.ts';
import { heldProvider, setUp } from './pools.suite.ts';

describe('the status of a provider', () => {
  it('counts calls and errors and tells how long the last ones took', async () => {
    const { time, pools, send, ended } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    expect(pools.status('one')).toEqual({
      id: 'one',
      protocol: 'a/v1',
      state: 'connected',
      since: time.wall(),
      in_flight: 0,
      calls: 0,
      errors: 0,
      hedges: 0,
      last_error: null,
      latency: { p50_ms: null, p95_ms: null },
      weight: 1,
      tier: 0,
      zone: null,
      models: null,
      breakers: [],
      health: null,
      next_probe: null,
      lacks: [],
      paused_until: null,
      concurrency: null,
      rate: null,
    });
    for (let ms = 1; ms <= 100; ms++) {
      const { answer } = send();
      await time.advance(ms);
      one.answer();
      await answer;
    }
    expect(pools.status('one')).toMatchObject({ calls: 100, errors: 0, latency: { p50_ms: 50, p95_ms: 95 } });
    expect(ended.at(-1)).toBe('one done 100');
  });

  it('forgets how long old calls took', async () => {
    const { time, pools, send } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const slow = send();
    await time.advance(5000);
    one.answer();
    await slow.answer;
    for (let n = 0; n < 512; n++) {
      const { answer } = send();
      one.answer();
      await answer;
    }
    expect(pools.status('one')).toMatchObject({ calls: 513, latency: { p50_ms: 0, p95_ms: 0 } });
  });

  it('names the last error, but not in the words of the service', async () => {
    const { time, pools, send } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const fail = async (answer: Answer) => {
      const sent = send();
      one.answer(answer);
      await sent.answer;
      return pools.status('one');
    };
    const refused = errorRecord('GLZ2010', 'no key hunter2 here', { remote_code: -32001 });
    expect(await fail({ word: 'failed', error: refused })).toMatchObject({
      errors: 1,
      hedges: 0,
      last_error: {
        at: time.wall(),
        error_code: 'GLZ2010',
        message: 'the service answered with an error',
        remote_code: -32001,
      },
    });
    const broken = errorRecord('GLZ2002', 'connection refused by 127.0.0.1:1');
    expect(await fail({ word: 'failed', error: broken })).toMatchObject({
      errors: 2,
      last_error: { error_code: 'GLZ2002', message: 'connection refused by 127.0.0.1:1', remote_code: null },
    });
  });

  it.each([
    [
      errorRecord('GLZ2001', 'HTTP 500: hunter2', { details: { http_status: 500 } }),
      'the service answered HTTP 500',
    ],
    [
      errorRecord('GLZ2003', 'HTTP 408: hunter2', { details: { http_status: 408 } }),
      'the service answered HTTP 408',
    ],
    [errorRecord('GLZ2005', 'not JSON: hunter2'), 'the service answered with something that is no answer'],
    [
      errorRecord('GLZ2005', 'not JSON: hunter2', { details: { http_status: 200 } }),
      'the service answered HTTP 200 with something that is no answer',
    ],
    [errorRecord('GLZ2003', 'hunter2', { remote_code: 1 }), 'the service answered with an error'],
    [errorRecord('GLZ2003', 'no answer within 3 s'), 'no answer within 3 s'],
    [errorRecord('GLZ3010', 'there is no secret "key"', { hint: 'name one' }), 'there is no secret "key"'],
    [
      errorRecord('GLZ2002', 'no trusted connection to a: X_Y', { details: { certificate: 'X_Y' } }),
      'no trusted connection to a: X_Y',
    ],
    [
      errorRecord('GLZ2002', 'hunter2', { details: { certificate: 'hunter2' } }),
      'the service answered with an error',
    ],
    [
      errorRecord('GLZ2002', 'hunter2', { remote_code: 1, details: { certificate: 'X_Y' } }),
      'the service answered with an error',
    ],
    [
      errorRecord('GLZ2001', 'hunter2', { details: { http_status: 500, answered_by: 'token_endpoint' } }),
      'no access token: its endpoint answered HTTP 500',
    ],
    [
      errorRecord('GLZ2005', 'hunter2', { details: { answered_by: 'token_endpoint' } }),
      'no access token: its endpoint answered without one that can be used',
    ],
    [
      errorRecord('GLZ2001', 'hunter2', { remote_code: 1, details: { answered_by: 'token_endpoint' } }),
      'the service answered with an error',
    ],
  ])('shows of %j only: %s', async (error, message) => {
    const { pools, send } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const sent = send();
    one.answer({ word: 'failed', error });
    await sent.answer;
    expect(pools.status('one')?.last_error).toMatchObject({ message });
  });

  it('does not blame a provider for calls that were cancelled, nor for those put off', async () => {
    const { pools, send, ended } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const answers: Answer[] = [
      { word: 'failed', error: errorRecord('GLZ2009', 'cancelled') },
      { word: 'failed', error: errorRecord('GLZ9002', 'the engine stops') },
      { word: 'again', after_ms: 1, reason: 'later' },
    ];
    for (const answer of answers) {
      const sent = send();
      one.answer(answer);
      await sent.answer;
    }
    expect(pools.status('one')).toMatchObject({ calls: 3, errors: 0, last_error: null });
    expect(ended).toEqual(['one cancelled 0', 'one store 0', 'one again 0']);
  });

  it('does not take for its latency how long it had before it was given up', async () => {
    const { pools, send, time } = setUp();
    const one = heldProvider('one');
    pools.connect(one.provider);
    const [given, taken] = [send(), send()];
    await time.advance(5);
    one.answer({ word: 'failed', error: errorRecord('GLZ2009', 'cancelled') });
    await given.answer;
    expect(pools.status('one')?.latency).toEqual({ p50_ms: null, p95_ms: null });
    await time.advance(5);
    one.answer();
    await taken.answer;
    expect(pools.status('one')?.latency).toEqual({ p50_ms: 10, p95_ms: 10 });
  });

  it('counts a provider that throws instead of answering as failed', async () => {
    const { pools, send } = setUp();
    const throwing: Provider = {
      ...heldProvider('one').provider,
      call: () => {
        throw new Error('broken adapter');
      },
    };
    pools.connect(throwing);
    expect(await send().answer).toMatchObject({
      word: 'failed',
      error: { message: 'broken adapter', data: { error_code: 'GLZ2001' } },
    });
    expect(pools.status('one')).toMatchObject({ in_flight: 0, errors: 1 });
  });
});
