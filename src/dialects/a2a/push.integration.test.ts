import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import {
  call,
  card03,
  card10,
  closeAll,
  done03,
  done10,
  open,
  result,
  task03,
  task10,
  waiting,
} from './testing/agent.suite.ts';
import { agentOf, gets, inTurn } from './testing/script.suite.ts';

afterEach(closeAll);

const callback = { url: 'https://here.example/notify/1', token: 'tok-1' };
const pushes = { capabilities: { streaming: true, pushNotifications: true } };
const auth03 = { schemes: ['Bearer'], credentials: 'tok-1' };
const auth10 = { scheme: 'Bearer', credentials: 'tok-1' };

describe('A16 an agent that calls back', () => {
  it.each([
    [
      '0.3',
      card03('/', pushes),
      inTurn({ 'message/send': [gets(task03('submitted'))], 'tasks/get': [gets(done03('hello'))] }),
      { blocking: false, pushNotificationConfig: { ...callback, authentication: auth03 } },
      { ...task03('completed') },
    ],
    [
      '1.0',
      card10('/', pushes),
      inTurn({ SendMessage: [gets(task10('SUBMITTED'))], GetTask: [gets(done10('hello'))] }),
      { returnImmediately: true, taskPushNotificationConfig: { ...callback, authentication: auth10 } },
      { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } },
    ],
  ])('A16 is told where, and its word of %s is taken up', async (_, card, answer, configuration, body) => {
    const agent = await agentOf(card, answer);
    const provider = open(agent.url, { push: true });
    const wait = await waiting(call(provider, { text: 'hi' }, { callback }));
    expect(wait).toMatchObject({ kind: 'notification', token: 'tok-1', after_ms: 60_000, late: 'resume' });
    expect(JSON.stringify(wait.kept)).not.toContain('tok-1');
    expect(agent.got[1]?.rpc?.params['configuration']).toEqual(configuration);
    const next = call(provider, { text: 'hi' }, { callback, kept: wait.kept, response: body as JsonObject });
    expect(await result(next)).toMatchObject({ text: 'hello' });
  });

  it('A16 is asked all the same where nothing was heard, and waited for again while it works', async () => {
    const agent = await agentOf(
      card03('/', pushes),
      inTurn({
        'message/send': [gets(task03('working'))],
        'tasks/get': [gets(task03('working')), gets(done03('hello'))],
      }),
    );
    const provider = open(agent.url, { push: true, push_timeout: '5s' });
    const first = await waiting(call(provider, { text: 'hi' }, { callback }));
    const second = await waiting(call(provider, { text: 'hi' }, { callback, kept: first.kept }));
    expect([first.after_ms, second.after_ms]).toEqual([5000, 10_000]);
    expect(await result(call(provider, { text: 'hi' }, { callback, kept: second.kept }))).toMatchObject({
      text: 'hello',
    });
  });

  it('A16 about another task is not listened to', async () => {
    const agent = await agentOf(card03('/', pushes), inTurn({ 'message/send': [gets(task03('working'))] }));
    const provider = open(agent.url, { push: true });
    const { kept } = await waiting(call(provider, { text: 'hi' }, { callback }));
    const other = { ...done03('not yours'), id: 't2' };
    const again = await waiting(call(provider, { text: 'hi' }, { callback, kept, response: other }));
    expect(again).toMatchObject({ kind: 'notification', token: 'tok-1' });
    expect(agent.calls().slice(1)).toEqual(['message/send']);
  });

  it('A16 is taken at its word where it has no way to be asked', async () => {
    const agent = await agentOf(card03('/', pushes), inTurn({ 'message/send': [gets(task03('working'))] }));
    const provider = open(agent.url, { push: true });
    const { kept } = await waiting(call(provider, { text: 'hi' }, { callback }));
    const last = call(provider, { text: 'hi' }, { callback, kept, response: done03('told') });
    expect(await result(last)).toMatchObject({ text: 'told' });
  });

  it('A16 may have a question by then', async () => {
    const asks = task03('input-required');
    const agent = await agentOf(
      card03('/', pushes),
      inTurn({ 'message/send': [gets(task03('working'))], 'tasks/get': [gets(asks)] }),
    );
    const provider = open(agent.url, { push: true });
    const { kept } = await waiting(call(provider, { text: 'hi' }, { callback }));
    expect(await waiting(call(provider, { text: 'hi' }, { callback, kept, response: asks }))).toMatchObject({
      kind: 'input',
    });
  });

  it('A16 that answers at once, cannot call back, or says so only then, is treated like any other', async () => {
    const quick = await agentOf(card03('/', pushes), inTurn({ 'message/send': [gets(done03('at once'))] }));
    expect(await result(call(open(quick.url, { push: true }), { text: 'hi' }, { callback }))).toMatchObject({
      text: 'at once',
    });
    const never = await agentOf(
      card03('/', { capabilities: {} }),
      inTurn({ 'message/send': [gets(done03('x'))] }),
    );
    await result(call(open(never.url, { push: true }), { text: 'hi' }, { callback }));
    expect(never.got[1]?.rpc?.params['configuration']).toBeUndefined();
    const refuses = await agentOf(
      card03('/', { capabilities: { pushNotifications: true } }),
      ({ params }, says) =>
        params['configuration'] === undefined
          ? says.result(done03('without'))
          : says.error(-32003, 'no push'),
    );
    expect(await result(call(open(refuses.url, { push: true }), { text: 'hi' }, { callback }))).toMatchObject(
      { text: 'without' },
    );
  });

  it('shows its token nowhere, though the agent repeats it', async () => {
    const agent = await agentOf(card03('/', { capabilities: { pushNotifications: true } }), (_, says) =>
      says.error(-32602, 'bad token tok-1', { token: 'tok-1' }),
    );
    const answer = await call(open(agent.url, { push: true }), { text: 'hi' }, { callback });
    expect(answer.word).toBe('failed');
    expect(JSON.stringify(answer)).not.toContain('tok-1');
  });

  it('is not told where to call back unless its configuration says so, or where nobody could', async () => {
    const agent = await agentOf(
      card03('/', { capabilities: { pushNotifications: true } }),
      inTurn({ 'message/send': [gets(done03('x'))] }),
    );
    await result(call(open(agent.url), { text: 'hi' }, { callback }));
    await result(call(open(agent.url, { push: true }), { text: 'hi' }));
    for (const { rpc } of agent.got) expect(rpc?.params['configuration']).toBeUndefined();
  });
});
