import { afterEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  call,
  card03,
  card10,
  closeAll,
  done03,
  done10,
  open,
  result,
  scripted,
  status03,
  task03,
  waiting,
} from './testing/agent.suite.ts';
import { agentOf, gets, inTurn, whole } from './testing/script.suite.ts';

afterEach(closeAll);

const plain = { capabilities: {} };
const asks = (state: string, text: string): JsonObject => ({
  ...task03(state),
  status: {
    state,
    message: { kind: 'message', messageId: 'q', role: 'agent', parts: [{ kind: 'text', text }] },
  },
});
const asks10 = (state: string, text: string): JsonObject => ({
  task: {
    id: 't1',
    contextId: 'c1',
    status: { state, message: { messageId: 'q', role: 'ROLE_AGENT', parts: [{ text }] } },
  },
});

function messageIn(params: JsonObject | undefined): JsonObject {
  return (params?.['message'] ?? {}) as JsonObject;
}

describe('A12 an agent that asks for something', () => {
  it.each([
    [
      '0.3',
      card03('/', plain),
      {
        'message/send': [gets(asks('input-required', 'which city?')), gets(done03('sunny'))],
        'tasks/get': [gets(asks('input-required', 'which city?'))],
      },
    ],
    [
      '1.0',
      card10('/', plain),
      {
        SendMessage: [gets(asks10('TASK_STATE_INPUT_REQUIRED', 'which city?')), gets(done10('sunny'))],
        GetTask: [gets(asks10('TASK_STATE_INPUT_REQUIRED', 'which city?'))],
      },
    ],
    [
      '0.3 as a stream',
      card03('/'),
      {
        'message/stream': [
          whole(task03('working'), asks('input-required', 'which city?')),
          whole(task03('working'), done03('sunny')),
        ],
        'tasks/get': [gets(asks('input-required', 'which city?'))],
      },
    ],
  ])(
    'A12 pauses the task, and gets the answer with the ids of its task and context: %s',
    async (_, card, turns) => {
      const agent = await agentOf(card, inTurn(turns));
      const wait = await waiting(call(open(agent.url), { text: 'weather?' }, { call_id: 'w1' }));
      expect(wait).toMatchObject({ kind: 'input', token: null, after_ms: null, late: 'fail' });
      expect(wait.ask).toEqual({ state: 'input-required', text: 'which city?', agent_task_id: 't1' });
      // Another engine, later.
      const next = { call_id: 'w1', kept: wait.kept, response: { text: 'Bonn' } };
      expect(await result(call(open(agent.url), { text: 'weather?' }, next))).toMatchObject({
        text: 'sunny',
      });
      const answer = messageIn(agent.got.at(-1)?.rpc?.params);
      expect(answer).toMatchObject({ taskId: 't1', contextId: 'c1', messageId: 'msg-w1.r1' });
      expect(answer['parts']).toEqual([expect.objectContaining({ text: 'Bonn' })]);
    },
  );

  it('A12 once more gets the second answer as another message', async () => {
    const agent = await agentOf(
      card03('/', plain),
      inTurn({
        'message/send': [
          gets(asks('input-required', 'one?')),
          gets(asks('input-required', 'two?')),
          gets(done03('both')),
        ],
        'tasks/get': [gets(asks('input-required', '?'))],
      }),
    );
    const provider = open(agent.url);
    const first = await waiting(call(provider, { text: 'hi' }, { call_id: 'w2' }));
    const second = await waiting(
      call(provider, { text: 'hi' }, { call_id: 'w2', kept: first.kept, response: 'a' }),
    );
    expect(second.ask).toMatchObject({ text: 'two?' });
    await result(call(provider, { text: 'hi' }, { call_id: 'w2', kept: second.kept, response: 'b' }));
    const ids = agent.got.flatMap(({ rpc }) => messageIn(rpc?.params)['messageId'] ?? []);
    expect(ids).toEqual(['msg-w2', 'msg-w2.r1', 'msg-w2.r2']);
  });

  it('A12 may repeat the question before it looks at the answer, but not for ever', async () => {
    const question = asks('input-required', '?');
    const stream = await agentOf(
      card03('/'),
      inTurn({
        'message/stream': [whole(question), whole(question, status03('working'), done03('went on'))],
        'tasks/get': [gets(question)],
      }),
    );
    const asked = await waiting(call(open(stream.url), { text: 'hi' }));
    const streamed = call(open(stream.url), { text: 'hi' }, { kept: asked.kept, response: 'a' });
    expect(await result(streamed)).toMatchObject({ text: 'went on' });
    const stubborn = await agentOf(
      card03('/', plain),
      inTurn({ 'message/send': [gets(question)], 'tasks/get': [gets(question)] }),
    );
    const { kept } = await waiting(call(open(stubborn.url), { text: 'hi' }));
    const again = await waiting(call(open(stubborn.url), { text: 'hi' }, { kept, response: 'a' }));
    expect(again.ask).toMatchObject({ text: '?' });
    expect(stubborn.calls().slice(-5)).toEqual(Array(5).fill('tasks/get'));
  });

  it('A12 is not answered twice by an engine that died after the answer', async () => {
    const agent = await agentOf(
      card03('/', plain),
      inTurn({
        'message/send': [gets(asks('input-required', '?'))],
        'tasks/get': [gets(task03('working')), gets(done03('went on'))],
      }),
    );
    const provider = open(agent.url);
    const { kept } = await waiting(call(provider, { text: 'hi' }));
    expect(await result(call(provider, { text: 'hi' }, { kept, response: 'a' }))).toMatchObject({
      text: 'went on',
    });
    expect(agent.calls().filter((method) => method === 'message/send')).toHaveLength(1);
  });

  it('A12 keeps its answer while the agent is away', async () => {
    let away = true;
    const kept: Json[] = [];
    const keep = async (value: Json) => {
      kept.push(value);
      return true;
    };
    const agent = await scripted(({ rpc }, says) => {
      if (rpc === null) return says.json(card03('/', plain));
      if (rpc.method === 'tasks/get') return says.result(asks('input-required', '?'));
      if (messageIn(rpc.params)['taskId'] === undefined) return says.result(asks('input-required', '?'));
      return away ? says.text('', 503) : says.result(done03('got it'));
    });
    const provider = open(agent.url);
    const wait = await waiting(call(provider, { text: 'hi' }));
    const vain = await call(provider, { text: 'hi' }, { kept: wait.kept, response: 'a', keep });
    expect(vain).toMatchObject({ word: 'again' });
    away = false;
    const later = call(provider, { text: 'hi' }, { kept: kept.at(-1), response: 'a', keep });
    expect(await result(later)).toMatchObject({ text: 'got it' });
  });

  it('A12 for leave: it is looked at by and by, and goes on by itself when it was given', async () => {
    const agent = await agentOf(
      card03('/', plain),
      inTurn({
        'message/send': [gets(asks('auth-required', 'log in at https://a.example'))],
        'tasks/get': [gets(asks('auth-required', 'still')), gets(done03('let in'))],
      }),
    );
    const provider = open(agent.url);
    const first = await waiting(call(provider, { text: 'hi' }));
    expect(first).toMatchObject({ kind: 'auth', after_ms: 30_000, late: 'resume' });
    const second = await waiting(call(provider, { text: 'hi' }, { kept: first.kept }));
    expect(second).toMatchObject({ kind: 'auth', after_ms: 60_000 });
    const last = call(provider, { text: 'hi' }, { kept: second.kept, response: true });
    expect(await result(last)).toMatchObject({ text: 'let in' });
    expect(agent.calls().filter((method) => method === 'message/send')).toHaveLength(1);
  });

  it('A12 without words, or with more of them than people read, asks all the same', async () => {
    const long = await agentOf(
      card03('/', plain),
      inTurn({ 'message/send': [gets(asks('input-required', 'x'.repeat(100_000)))] }),
    );
    const { ask } = await waiting(call(open(long.url), { text: 'hi' }));
    expect(JSON.stringify(ask).length).toBeLessThan(16 * 1024);
    const mute = await agentOf(
      card03('/', plain),
      inTurn({ 'message/send': [gets(task03('input-required'))] }),
    );
    expect((await waiting(call(open(mute.url), { text: 'hi' }))).ask).toEqual({
      state: 'input-required',
      agent_task_id: 't1',
    });
  });
});
