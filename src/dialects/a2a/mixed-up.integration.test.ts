import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../embedded/system.ts';
import {
  artifact,
  call,
  cancelled,
  card03,
  closeAll,
  done03,
  failure,
  open,
  result,
  type Says,
  scripted,
  task03,
} from './testing/agent.suite.ts';
import { agentOf, chunk, ended, gets, inTurn, whole } from './testing/script.suite.ts';

afterEach(closeAll);

const plain = { capabilities: {} };
const others = 'what somebody else was told';

describe('an agent that mixes up its tasks', () => {
  it('is not believed where it shows another task than the one that was asked for', async () => {
    const another = { ...done03(others), id: 't2' };
    const turns = { 'message/send': [gets(task03('working'))], 'tasks/get': [gets(another)] };
    const agent = await agentOf(card03('/', plain), inTurn(turns));
    const { message, data } = await failure(call(open(agent.url), { text: 'hi' }));
    expect(data.error_code).toBe('GLZ2005');
    expect(message).toContain('is about the task "t2" instead of "t1"');
  });

  it('is not listened to where its streams tell of other tasks', async () => {
    const strange = [
      { ...chunk(others), taskId: 't2' },
      { ...ended, taskId: 't2' },
      { ...done03(others), id: 't2' },
    ];
    const first = whole(task03('working'), ...strange, chunk('ours'), ended);
    const streamed = await agentOf(card03('/'), inTurn({ 'message/stream': [first] }));
    expect(await result(call(open(streamed.url), { text: 'hi' }))).toMatchObject({ text: 'ours' });
    const turns = {
      'message/stream': [whole(task03('working'))],
      'tasks/resubscribe': [whole(...strange, task03('working'), chunk('ours'), ended)],
      'tasks/get': [gets(done03('ours'))],
    };
    const followed = await agentOf(card03('/'), inTurn(turns));
    expect(await result(call(open(followed.url), { text: 'hi' }))).toMatchObject({ text: 'ours' });
  });
});

describe('an agent that says less than it knows', () => {
  it('is asked for the task where its stream ends well and brought nothing', async () => {
    const turns = {
      'message/stream': [whole(task03('working'), ended, chunk('too late'))],
      'tasks/get': [gets(done03('all of it'))],
    };
    const agent = await agentOf(card03('/'), inTurn(turns));
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'all of it' });
    expect(agent.calls().slice(1)).toEqual(['message/stream', 'tasks/get']);
  });

  it('is not taken back at its word where it shows the task as it was before its end', async () => {
    const turns = {
      'message/stream': [whole(task03('working'))],
      'tasks/resubscribe': [whole(task03('working'), chunk('done'), ended)],
      'tasks/get': [gets(task03('working'))],
    };
    const agent = await agentOf(card03('/'), inTurn(turns));
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'done' });
  });

  it('cannot be answered where it asks without naming its task', async () => {
    const message = {
      kind: 'message',
      role: 'agent',
      messageId: 'q',
      parts: [{ kind: 'text', text: 'which?' }],
    };
    const asks = { kind: 'task', contextId: 'c', status: { state: 'input-required', message } };
    const agent = await agentOf(card03('/', plain), inTurn({ 'message/send': [gets(asks)] }));
    expect(await failure(call(open(agent.url), { text: 'hi' }))).toMatchObject({
      message: 'Task state: input-required',
      data: { error_code: 'GLZ2010', hint: expect.stringContaining('id') },
    });
  });
});

describe('an agent in trouble', () => {
  it('keeps its dialect while its card answers with a failure', async () => {
    let now = 0;
    let broken = false;
    const looked = Promise.withResolvers<void>();
    const agent = await scripted(({ method, rpc }, says) => {
      if (method === 'GET' && !broken) return says.json(card03('/', plain));
      if (method === 'GET') {
        looked.resolve();
        return says.text('oh', 500);
      }
      if (rpc?.method === 'message/send') return says.result(done03('a2a'));
      return says.json({ task_id: 'x', status: 'ok', output: 'simple' });
    });
    const provider = open(agent.url, {}, { type: 'auto', clock: { ...systemClock, monotonic: () => now } });
    expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'a2a' });
    [broken, now] = [true, 10 * 60_000];
    await call(provider, { text: 'hi' });
    await looked.promise;
    // Whatever comes of that look is known when the next one begins.
    for (let turn = 0; turn < 20; turn++)
      expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'a2a' });
  });

  it('is told of by the address in its card where that cannot be called', async () => {
    const agent = await agentOf(card03('ftp://files/', plain), inTurn({}));
    const { message } = await failure(call(open(agent.url), { text: 'hi' }));
    expect(message).toBe('the card of the agent names no address that can be called: ftp://files/');
  });

  it('A4 is not asked in 1.0 where nothing is at the address of 0.3', async () => {
    const agent = await scripted(({ rpc }, says) =>
      rpc === null ? says.json(card03('/', plain)) : says.text('', 404),
    );
    expect((await failure(call(open(agent.url), { text: 'hi' }))).message).toContain('HTTP 404');
    expect(agent.calls().slice(1)).toEqual(['message/send']);
  });

  it('is given patience anew once it could be asked', async () => {
    const turns = {
      'tasks/get': [gets(task03('working')), (says: Says) => says.text('', 503)],
    };
    const agent = await agentOf(card03('/', plain), inTurn(turns));
    const kept = {
      a2a: '0.3',
      task_id: 't1',
      context_id: 'c1',
      waits: null,
      answers: 0,
      looks: 0,
      troubles: 9,
    };
    const noted: unknown[] = [];
    const keep = async (one: unknown) => {
      noted.push(one);
      return true;
    };
    const answer = await call(open(agent.url), { text: 'hi' }, { kept, keep });
    expect(answer).toMatchObject({ word: 'again', after_ms: 1000 });
    expect(noted.at(-1)).toMatchObject({ troubles: 1 });
  });
});

describe('a call that was given up before its batch left', () => {
  it('is not in it', async () => {
    const agent = await scripted(({ method, body }, says) => {
      if (method === 'GET') return says.json(card03('/', plain));
      const asked = [JSON.parse(body)].flat() as { id: string }[];
      return says.json(asked.map(({ id }) => ({ jsonrpc: '2.0', id, result: done03(id) })));
    });
    const provider = open(agent.url, { card: 'none', batch: { size: 4, wait: '10s' } });
    const end = new AbortController();
    const given = call(provider, { text: 'a' }, { signal: end.signal, call_id: 'given-up' });
    const first = call(provider, { text: 'b' });
    // Both wait for others by then: there is no card to look for.
    await setImmediate();
    end.abort(cancelled);
    await failure(given);
    const rest = [call(provider, { text: 'c' }), call(provider, { text: 'd' })];
    for (const one of [first, ...rest]) await result(one);
    expect(agent.got.at(-1)?.body).not.toContain('given-up');
  });
});

describe('words that a history quotes', () => {
  it.each(['user', 'ROLE_USER', 'USER', 'User'])(
    'are not those of the agent where %s said them',
    async (role) => {
      const said = (who: string, text: string) => ({ ...artifact(text), role: who, messageId: text });
      const history = [said('agent', 'hello'), said(role, 'what I said')];
      const agent = await agentOf(
        card03('/', plain),
        inTurn({ 'message/send': [gets(task03('completed', { history }))] }),
      );
      expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
    },
  );
});
