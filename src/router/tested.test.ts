import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { errorRecord } from '../core/errors.ts';
import type { Probed, Provider } from '../core/ports/provider.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import { answered, failed, settingsOf } from './queue.suite.ts';

const health = { every_ms: 1000, timeout_ms: 200, method: 'ping' };

function answering(answer: () => Answer): Provider {
  return { ...heldProvider('one').provider, call: async () => answer() };
}

describe('a provider that is tested', () => {
  it('tells how it went, whatever its state, and counts nothing', async () => {
    const { pools, time } = setUp();
    let answer: Answer = answered;
    pools.connect(answering(() => answer));
    pools.drain('one');
    const test = () => pools.test('one', { method: 'echo' });
    expect(await test()).toMatchObject({ well: true, asked: 'echo', method: 'echo', error: null });
    answer = failed('GLZ2010');
    expect(await test()).toMatchObject({ well: true, error: { error_code: 'GLZ2010' } });
    answer = { word: 'failed', error: errorRecord('GLZ2010', 'who are you?', { reason: 'HTTP 401' }) };
    expect(await test()).toMatchObject({ well: false });
    answer = { word: 'failed', error: errorRecord('GLZ2005', 'It works!') };
    expect(await test()).toMatchObject({ well: false });
    answer = failed('GLZ2001');
    expect(await test()).toMatchObject({ well: false });
    expect(await pools.test('nobody')).toBeNull();
    expect(pools.status('one')).toMatchObject({ calls: 0, errors: 0 });
    pools.adjust('one', settingsOf({ health }));
    expect(await pools.test('one')).toMatchObject({ asked: 'ping', method: 'ping' });
    await pools.stop();
    expect(time.pending).toBe(0);
  });

  it('is not well where it refused by itself and nobody was asked, and says so', async () => {
    const { pools } = setUp();
    const unmade: Answer = { word: 'failed', error: errorRecord('GLZ2006', 'secret words') };
    const provider = answering(() => failed('GLZ2010'));
    pools.connect({ ...provider, hasMethod: (method) => method === 'echo' });
    expect(await pools.test('one', { method: 'ping' })).toMatchObject({
      well: false,
      error: { error_code: 'GLZ2010', message: 'nothing was asked of one: it has no method ping' },
    });
    expect(await pools.test('one', { method: 'echo' })).toMatchObject({ well: true });
    pools.connect(answering(() => unmade));
    expect(await pools.test('one', { method: 'echo' })).toMatchObject({
      well: false,
      error: { message: 'nothing was asked of one: no call can be made of what it was given' },
    });
    await pools.stop();
  });
});

describe('a provider whose dialect knows a question', () => {
  const every = { every_ms: 1000, timeout_ms: 200, failures: 1 };
  const promptly = { draw: () => 0 };

  it('is asked it where nothing is asked in particular, and is called for none of it', async () => {
    const { time, pools } = setUp(promptly);
    let found: Probed = { well: true, error: null };
    const calls: string[] = [];
    pools.connect(
      {
        ...heldProvider('one').provider,
        call: async ({ method }) => {
          calls.push(method);
          return answered;
        },
        probe: { asked: 'card', ask: async () => found },
      },
      { settings: settingsOf({ health: every }) },
    );
    await time.advance(10);
    expect(pools.status('one')?.state).toBe('connected');
    expect(await pools.test('one')).toMatchObject({ well: true, asked: 'card', method: 'card', error: null });
    found = { well: true, error: errorRecord('GLZ2010', 'x', { details: { http_status: 401 } }) };
    const told = { error_code: 'GLZ2010', message: 'the service answered HTTP 401' };
    expect(await pools.test('one')).toMatchObject({ well: true, error: told });
    found = { well: false, error: errorRecord('GLZ2002', 'one refused the connection') };
    await time.advance(1000);
    expect(pools.status('one')?.state).toBe('unhealthy');
    found = { well: true, error: null };
    await time.advance(1000);
    expect([pools.status('one')?.state, calls]).toEqual(['connected', []]);
    expect(await pools.test('one', { method: 'echo' })).toMatchObject({ well: true, asked: 'echo' });
    expect(calls).toEqual(['echo']);
    await pools.stop();
  });

  it.each([
    ['does not answer in time', () => new Promise<Probed>(() => {}), 'GLZ2003'],
    ['cannot be asked', () => Promise.reject(new Error('no way')), 'GLZ2002'],
  ])('is not well where it %s', async (_, ask, error_code) => {
    const { time, pools } = setUp(promptly);
    const probe = { asked: 'card', ask };
    pools.connect({ ...heldProvider('one').provider, probe }, { settings: settingsOf({ health: every }) });
    await time.advance(500);
    expect(pools.status('one')?.state).toBe('unhealthy');
    const told = await time.until(pools.test('one'));
    expect(told).toMatchObject({ well: false, asked: 'card', error: { error_code } });
    await pools.stop();
  });

  it('says where there is none that a method has to be named', async () => {
    const { pools } = setUp();
    pools.connect(heldProvider('one').provider);
    expect(await pools.test('one')).toMatchObject({
      well: false,
      asked: 'nothing',
      error: { error_code: 'GLZ1012', message: 'one can only be asked by calling a method: name one' },
    });
    await pools.stop();
  });
});
