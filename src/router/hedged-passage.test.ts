import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { defaultBreaker } from '../core/pool/breaker.ts';
import type { Progress, Report } from '../core/ports/provider.ts';
import { HedgeWorld, request } from './hedge.suite.ts';
import { failed } from './queue.suite.ts';

/** A call whose place is left only when the test says so. */
function held(world: HedgeWorld) {
  const routed = world.pools.route(request);
  if (routed.word === 'wait') throw new Error('it waits');
  const controller = new AbortController();
  const { method, params, task_id, workflow_id } = request;
  const told = { method, params, task_id, workflow_id, call_id: 't', attempt: 1 };
  const answer = routed.passage.provider.call({ ...told, signal: controller.signal });
  return { passage: routed.passage, answer, end: (reason: GleitzeitError) => controller.abort(reason) };
}

describe('a call that is made twice and given up', () => {
  it('holds nothing against those who came later, however long its caller looks at it then', async () => {
    const world = new HedgeWorld();
    for (const [tier, id] of ['slow', 'later'].entries())
      world.provider(id, () => ({ ms: 1e9 }), { tier, breaker: { ...defaultBreaker, failures: 1 } });
    const { passage, answer, end } = held(world);
    await world.time.advance(150);
    end(new GleitzeitError('GLZ2003', 'too late'));
    expect((await world.time.until(answer)).word).toBe('failed');
    await world.time.advance(10);
    passage.leave();
    expect(world.aborted.sort()).toEqual(['later', 'slow']);
    expect(world.status('later')).toMatchObject({ breakers: [], in_flight: 0 });
  });

  it('ends everywhere where its place is left while it runs', async () => {
    const world = new HedgeWorld();
    const breaker = { ...defaultBreaker, failures: 1 };
    for (const [tier, id] of ['slow', 'later'].entries())
      world.provider(id, () => ({ ms: 1e9 }), { tier, breaker });
    const { passage } = held(world);
    await world.time.advance(150);
    expect(world.calls).toEqual(['slow t', 'later t']);
    passage.leave();
    await world.time.settle();
    expect([world.aborted, world.hedges, world.time.pending]).toEqual([
      ['slow', 'later'],
      ['a/v1 failed'],
      0,
    ]);
    for (const id of ['slow', 'later'])
      expect(world.status(id)).toMatchObject({ breakers: [], in_flight: 0 });
  });
});

describe('a call that is made twice', () => {
  it('hears only one of them tell how it gets on', async () => {
    const world = new HedgeWorld();
    const heard: Progress[] = [];
    const tells = (message: string) => (report: (progress: Progress) => void) => {
      report({ message });
      world.time.after(160, () => report({ message: `${message} later` }));
    };
    world.provider('slow', () => ({ ms: 150, answer: failed('GLZ2001') }), {}, tells('slow'));
    world.provider('quick', () => ({ ms: 300 }), { tier: 1 }, tells('quick'));
    await world.time.until(world.send({}, { report: (progress) => heard.push(progress) }).over);
    expect(heard).toEqual([{ message: 'slow' }, { message: 'quick later' }]);
  });

  it('says where what one of them tells does not go on from what was heard', async () => {
    const world = new HedgeWorld();
    const heard: string[] = [];
    const tells = (name: string) => (report: (progress: Progress) => void) => {
      for (let at = 0; at < 3; at++) world.time.after(at * 60, () => report({ text: `${name}${at}` }));
    };
    world.provider('slow', () => ({ ms: 150, answer: failed('GLZ2001') }), {}, tells('A'));
    world.provider('quick', () => ({ ms: 300 }), { tier: 1 }, tells('B'));
    const report: Report = ({ text = '' }, from) => heard.push(from?.anew === true ? `anew ${text}` : text);
    await world.time.until(world.send({}, { report }).over);
    expect(heard).toEqual(['A0', 'A1', 'A2', 'anew B1', 'B2']);
    heard.length = 0;
    const alone = new HedgeWorld();
    alone.provider('slow', () => ({ ms: 150, answer: failed('GLZ2001') }));
    alone.provider(
      'quick',
      () => ({ ms: 300 }),
      { tier: 1 },
      (tell) => {
        tell({ text: 'B0' });
        alone.time.after(100, () => tell({ text: 'B1' }));
      },
    );
    await alone.time.until(alone.send({}, { report }).over);
    expect(heard).toEqual(['anew B1']);
  });
});

describe('a call that was made twice and failed', () => {
  const pair = (slow: number, quick: number) => {
    const world = new HedgeWorld();
    world.provider('slow', () => ({ ms: slow, answer: failed('GLZ2001') }));
    world.provider('quick', () => ({ ms: quick, answer: failed('GLZ2001') }), { tier: 1 });
    return world;
  };

  it('names all who failed, whoever did so last', async () => {
    for (const [slow, last] of [
      [150, 'quick'],
      [900, 'slow'],
    ] as const) {
      const world = pair(slow, 300);
      const { passage, answer } = held(world);
      expect(passage.failed?.()).toEqual([]);
      await world.time.until(answer);
      expect([passage.provider.id, passage.failed?.()]).toEqual([
        last,
        last === 'slow' ? ['quick'] : ['slow'],
      ]);
    }
  });

  it('goes by the name of the one that is still waited for, and blames nobody who was only given up', async () => {
    const world = pair(150, 1e9);
    const { passage, end } = held(world);
    await world.time.advance(200);
    expect([passage.provider.id, passage.failed?.()]).toEqual(['quick', ['slow']]);
    end(new GleitzeitError('GLZ2003', 'too late'));
    await world.time.advance(10);
    expect([passage.provider.id, passage.failed?.()]).toEqual(['quick', ['slow']]);
    const both = pair(1e9, 1e9);
    const given = held(both);
    await both.time.advance(200);
    given.end(new GleitzeitError('GLZ2003', 'too late'));
    await both.time.advance(10);
    expect(given.passage.failed?.()).toEqual([]);
  });
});

describe('nobody else is asked', () => {
  it('for a budget that is used up, and whose turn it is stays so however often that is looked at', async () => {
    const whose = async (hung: number) => {
      const world = new HedgeWorld({ after: 10, max: 1 });
      for (const id of ['a', 'b', 'c', 'd']) world.provider(id, () => ({ ms: 1e6 }));
      for (let call = 0; call < 12; call++) void world.send();
      await world.time.advance(10);
      expect(world.calls).toHaveLength(12 + 10);
      // Two are left without another provider, and look for one again and again.
      await world.time.advance(hung);
      expect(world.calls).toHaveLength(12 + 10);
      return world.send().id;
    };
    expect([await whose(10), await whose(20), await whose(30)]).toEqual(Array(3).fill(await whose(0)));
  });
});
