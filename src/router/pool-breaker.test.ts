import { describe, expect, it } from 'vitest';
import { errorRecord } from '../core/errors.ts';
import { judge } from './member.ts';
import { answered, failed, TestQueue } from './queue.suite.ts';

const tasks = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `t${index}` }));

describe('a service that asks to be left alone', () => {
  it('is left alone for so long, and its tasks go elsewhere meanwhile', async () => {
    const queue = new TestQueue();
    queue.attempts = 2;
    queue.provider('busy', () => ({ ms: 1, answer: failed('GLZ2004', 5000) }), { settings: { weight: 100 } });
    queue.provider('other', () => ({ ms: 1 }));
    queue.submit({ id: 'first' });
    await queue.time.advance(10);
    expect(queue.calls).toEqual(['first busy', 'first other']);
    for (let turn = 0; turn < 20; turn++) queue.submit({ id: `n${turn}` });
    expect(queue.calls.filter((call) => call.endsWith('busy'))).toHaveLength(1);
  });

  it('has its tasks wait where there is nobody else', async () => {
    const queue = new TestQueue();
    let asked = 0;
    queue.provider('busy', () => ({ ms: 1, answer: ++asked === 1 ? failed('GLZ2004', 5000) : answered }));
    queue.submit({ id: 'first' });
    await queue.time.advance(1);
    queue.submit({ id: 'second' });
    expect(queue.waiting()).toEqual(['second: line rate provider busy']);
    await queue.time.advance(4998);
    expect(asked).toBe(1);
    await queue.time.advance(10);
    expect(queue.results.get('second')).toEqual(answered);
  });

  it('is asked again as soon as somebody resumes it, and no other for that', async () => {
    const queue = new TestQueue();
    const day = 24 * 3600 * 1000;
    for (const id of ['busy', 'other']) {
      let asked = 0;
      const answer = () => ({ ms: 1, answer: ++asked === 1 ? failed('GLZ2004', day) : answered });
      queue.provider(id, answer, { protocol: `${id}/v1` });
      queue.submit({ id: `first ${id}`, protocol: `${id}/v1` });
    }
    await queue.time.advance(1);
    queue.submit({ id: 'mine', protocol: 'busy/v1' }, { id: 'theirs', protocol: 'other/v1' });
    expect(queue.waiting()).toHaveLength(2);
    queue.pools.resume('busy');
    await queue.time.advance(10);
    expect(queue.results.get('mine')).toEqual(answered);
    expect(queue.waiting()).toEqual(['theirs: line rate provider other']);
    expect(queue.pools.status('busy')?.paused_until).toBeNull();
  });
});

describe('a breaker', () => {
  it('counts an answer that came too late, but not the end of the time of a whole task', () => {
    const late = (details = {}) => judge({ word: 'failed', error: errorRecord('GLZ2003', 'late', details) });
    expect(late()).toMatchObject({ verdict: 'failed', slow: true });
    expect(late({ field: 'total_timeout' })).toMatchObject({ verdict: 'nothing', slow: false });
  });

  it('opens for the method that fails, of the provider that fails, and closes when a probe is answered', async () => {
    const queue = new TestQueue();
    let well = false;
    queue.provider('one', ({ method }) => ({
      ms: 1,
      answer: well || method === 'fine' ? answered : failed('GLZ2001'),
    }));
    for (const { id } of tasks(5)) {
      queue.submit({ id });
      await queue.time.advance(2);
    }
    queue.submit({ id: 'next' }, { id: 'more' }, { id: 'fine', method: 'fine' });
    expect(queue.waiting()).toEqual(
      ['next', 'more'].map((id) => `${id}: line breaker provider one for echo`),
    );
    await queue.time.advance(10);
    expect(queue.results.get('fine')).toEqual(answered);
    well = true;
    await queue.time.advance(1000);
    expect([queue.results.get('next'), queue.results.get('more')]).toEqual([answered, answered]);
  });

  it('is tried at once where somebody resumes the provider, and left in peace again where that fails', async () => {
    const queue = new TestQueue();
    let calls = 0;
    queue.provider('one', () => ({ ms: 1, answer: calls++ < 6 ? failed('GLZ2001') : answered }));
    queue.submit(...tasks(5));
    await queue.time.advance(2);
    queue.submit({ id: 'next' }, { id: 'more' });
    queue.pools.resume('one');
    await queue.time.advance(10);
    expect([calls, queue.waiting()]).toEqual([6, ['more: line breaker provider one for echo']]);
    queue.pools.resume('one');
    await queue.time.advance(10);
    expect(queue.results.get('more')).toEqual(answered);
  });

  it('lets one probe through at a time, and the others go on waiting', async () => {
    const queue = new TestQueue();
    let calls = 0;
    queue.provider('one', () => ({ ms: 1, answer: calls++ < 7 ? failed('GLZ2001') : answered }));
    queue.submit(...tasks(5));
    await queue.time.advance(2);
    queue.submit(...tasks(50).map(({ id }) => ({ id: `w${id}` })));
    await queue.time.advance(1100);
    expect(calls).toBe(6);
    await queue.time.advance(2100);
    expect(calls).toBe(7);
    await queue.time.advance(6000);
    expect(queue.results.size).toBe(55);
  });

  it('lets another one try, and all with its answer, where the first takes long', async () => {
    const queue = new TestQueue();
    let calls = 0;
    queue.provider('one', ({ params }) => {
      if ('long' in params) return { ms: 20_000 };
      return { ms: 1, answer: calls++ < 5 ? failed('GLZ2001') : answered };
    });
    queue.submit(...tasks(5));
    await queue.time.advance(2);
    queue.submit({ id: 'long', params: { long: true } }, ...tasks(50).map(({ id }) => ({ id: `w${id}` })));
    await queue.time.advance(1100);
    expect(queue.pools.status('one')).toMatchObject({
      breakers: [{ state: 'half_open' }],
      next_probe: expect.any(Number),
    });
    expect([queue.calls.at(-1), queue.waiting()]).toMatchObject(['long one', { length: 50 }]);
    await queue.time.advance(1100);
    expect([queue.results.size, queue.pools.status('one')?.next_probe]).toEqual([55, null]);
  });

  it('does not open for what the service refuses, or for calls that are given up', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 1, answer: failed('GLZ2010') }));
    for (const { id } of tasks(30)) queue.submit({ id });
    await queue.time.advance(2);
    const request = {
      protocol: 'a/v1',
      method: 'echo',
      params: {},
      task_id: 't',
      workflow_id: null,
      avoid: [],
    };
    for (let turn = 0; turn < 30; turn++) {
      const routed = queue.pools.route({ ...request, called: false });
      expect(routed.word).toBe('go');
      if (routed.word === 'go') routed.passage.leave();
    }
  });

  it('is there in vain for a task that another provider takes', async () => {
    const queue = new TestQueue();
    queue.attempts = 3;
    queue.provider('bad', () => ({ ms: 1, answer: failed('GLZ2001') }));
    queue.provider('good', () => ({ ms: 3 }));
    for (const { id } of tasks(100)) {
      queue.submit({ id });
      await queue.time.advance(1);
    }
    await queue.time.advance(100);
    expect([...queue.results.values()].every((answer) => answer === answered)).toBe(true);
    expect(queue.calls.filter((call) => call.endsWith('bad')).length).toBeLessThan(12);
  });
});
