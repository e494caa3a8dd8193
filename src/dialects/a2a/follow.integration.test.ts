import { afterEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { systemTimers } from '../../embedded/system.ts';
import {
  artifact,
  call,
  card03,
  card10,
  closeAll,
  done03,
  failure,
  hastyTimers,
  open,
  result,
  type Says,
  status03,
  task03,
  task10,
} from './testing/agent.suite.ts';
import { agentOf, chunk, ended, gets, inTurn, whole } from './testing/script.suite.ts';

afterEach(closeAll);

describe('A10 a stream that ends before its task does', () => {
  const started = [task03('submitted'), status03('working')];
  const cutOff = (says: Says) => {
    says.events(...started);
    setImmediate(says.cut);
  };

  it.each([
    ['cleanly', whole(...started)],
    ['broken', cutOff],
  ])('A10 %s: the agent is asked for the rest', async (_, first) => {
    const rest = whole(task03('working'), chunk('hello'), ended);
    const agent = await agentOf(
      card03('/'),
      inTurn({
        'message/stream': [first],
        'tasks/resubscribe': [rest],
        'tasks/get': [gets(done03('hello'))],
      }),
    );
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
    expect(agent.calls().slice(1)).toEqual(['message/stream', 'tasks/resubscribe', 'tasks/get']);
    expect(agent.got[2]?.rpc?.params).toEqual({ id: 't1' });
  });

  it('A10 is asked for again and again, more and more seldom, and then looked at', async () => {
    const vain = whole(task03('working'));
    const agent = await agentOf(
      card03('/'),
      inTurn({
        'message/stream': [whole(...started)],
        'tasks/resubscribe': [vain],
        'tasks/get': [gets(task03('working')), gets(done03('hello'))],
      }),
    );
    const pauses: number[] = [];
    const after = (ms: number, then: () => void) => {
      if (ms < 5000) pauses.push(ms);
      return hastyTimers.after(ms, then);
    };
    const provider = open(agent.url, {}, { timers: { ...hastyTimers, after } });
    expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'hello' });
    expect(pauses).toEqual([250, 500, 1000, 1000]);
    expect(agent.calls().slice(1)).toEqual([
      'message/stream',
      ...Array(3).fill('tasks/resubscribe'),
      'tasks/get',
      'tasks/get',
    ]);
  });

  it('A10 of an agent that has ended meanwhile, or has no such streams, is looked at', async () => {
    const over = (says: Says) => says.error(-32004, 'the task is over');
    const agent = await agentOf(
      card10('/'),
      inTurn({
        SendStreamingMessage: [whole(task10('WORKING'))],
        SubscribeToTask: [over],
        GetTask: [
          gets(task10('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'hello' }] }] })),
        ],
      }),
    );
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
    expect(agent.calls().slice(1)).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'GetTask']);
  });

  it('A10 and an answer in one piece that is not the last word are followed alike', async () => {
    const card = card03('/', { capabilities: {} });
    const agent = await agentOf(
      card,
      inTurn({
        'message/send': [gets(task03('submitted'))],
        'tasks/get': [
          gets(task03('working')),
          (says) => says.cut(),
          (says) => says.text('', 502),
          gets(done03('hello')),
        ],
      }),
    );
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
    expect(agent.calls().slice(1)).toEqual(['message/send', ...Array(4).fill('tasks/get')]);
  });

  it('A10 falls silent: it is given up, and the task is looked at', async () => {
    const silent = (says: Says) => says.events(...started);
    const agent = await agentOf(
      card03('/'),
      inTurn({
        'message/stream': [silent],
        'tasks/resubscribe': [(says) => says.error(-32004, 'no')],
        'tasks/get': [gets(done03('hello'))],
      }),
    );
    const provider = open(agent.url, { timeout: '1s' }, { timers: systemTimers });
    expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'hello' });
  });

  it('an agent that has forgotten the task may be given it again', async () => {
    const agent = await agentOf(
      card03('/', { capabilities: {} }),
      inTurn({
        'message/send': [gets(task03('working'))],
        'tasks/get': [(says) => says.error(-32001, 'Task not found')],
      }),
    );
    const keep = async () => true;
    const { message, data } = await failure(call(open(agent.url), { text: 'hi' }, { keep }));
    expect([message, data.error_code]).toEqual([
      expect.stringContaining('does not know its task t1'),
      'GLZ2002',
    ]);
  });

  it('an agent that cannot be reached while it works is asked again later, and not given the task anew', async () => {
    const agent = await agentOf(
      card03('/', { capabilities: {} }),
      inTurn({ 'message/send': [gets(task03('working'))], 'tasks/get': [(says) => says.text('', 503)] }),
    );
    const kept: Json[] = [];
    const keep = async (value: Json) => {
      kept.push(value);
      return true;
    };
    const provider = open(agent.url);
    const answer = await call(provider, { text: 'hi' }, { keep });
    expect(answer).toMatchObject({ word: 'again', after_ms: 1000 });
    const next = await call(provider, { text: 'hi' }, { keep, kept: kept.at(-1) });
    expect(next).toMatchObject({ word: 'again', after_ms: 2000 });
    expect(agent.calls().filter((method) => method === 'message/send')).toHaveLength(1);
  });
});

it('a task that is worked on when its provider is closed is gone on with by the next one', async () => {
  const agent = await agentOf(
    card03('/'),
    inTurn({
      'message/stream': [(says) => says.events(task03('working'))],
      'tasks/get': [gets(done03('hello'))],
    }),
  );
  const kept = Promise.withResolvers<Json>();
  const keep = async (value: Json) => {
    kept.resolve(value);
    return true;
  };
  const first = open(agent.url);
  const cut = call(first, { text: 'hi' }, { keep });
  await kept.promise;
  await first.close?.();
  expect(await cut).toMatchObject({ word: 'again', after_ms: 1000 });
  const next = call(open(agent.url), { text: 'hi' }, { keep, kept: await kept.promise });
  expect(await result(next)).toMatchObject({ text: 'hello' });
});

describe('A11 artifacts in pieces', () => {
  it('A11 are put together, each by its own id', async () => {
    const other = (text: string, more: JsonObject) => ({
      ...chunk(text, more),
      artifact: artifact(text, 'a2'),
    });
    const events = [
      task03('working'),
      chunk('one ', { append: false }),
      other('x', {}),
      chunk('two', { append: true, lastChunk: true }),
      other('y', { append: true, lastChunk: true }),
      ended,
    ];
    const agent = await agentOf(card03('/'), inTurn({ 'message/stream': [whole(...events)] }));
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({
      text: 'one two\nxy',
      artifacts: [artifact('one two'), artifact('xy', 'a2')],
    });
  });

  it('A11 are not doubled by a stream that tells them again, nor lost with one that was cut', async () => {
    const first = whole(task03('working'), chunk('one '));
    const again = whole(
      task03('working', { artifacts: [artifact('one two ')] }),
      chunk('three', { append: true }),
      ended,
    );
    const truth = task03('completed', { artifacts: [artifact('one two three')] });
    const agent = await agentOf(
      card03('/'),
      inTurn({ 'message/stream': [first], 'tasks/resubscribe': [again], 'tasks/get': [gets(truth)] }),
    );
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'one two three' });
    const forgetful = await agentOf(
      card03('/'),
      inTurn({ 'message/stream': [first], 'tasks/resubscribe': [again] }),
    );
    expect(await result(call(open(forgetful.url), { text: 'hi' }))).toMatchObject({ text: 'one two three' });
  });

  it('A11 without end are refused', async () => {
    const agent = await agentOf(card03('/'), (_, says) => {
      says.events(task03('working'), ...Array(18).fill(chunk('x'.repeat(1024 * 1024), { append: true })));
    });
    expect((await failure(call(open(agent.url), { text: 'hi' }))).data.error_code).toBe('GLZ2005');
  });
});
