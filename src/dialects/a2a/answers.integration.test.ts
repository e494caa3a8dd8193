import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Progress } from '../../core/ports/provider.ts';
import {
  artifact,
  call,
  card03,
  card10,
  closeAll,
  done03,
  failure,
  open,
  result,
  type Says,
  status03,
  task03,
  task10,
} from './testing/agent.suite.ts';
import { agentOf, chunk, ended, gets, inTurn, whole } from './testing/script.suite.ts';

afterEach(closeAll);

describe('A7 answers of both versions, and mixtures of them', () => {
  const parts: [string, JsonObject][] = [
    ['a task that names its kind', task03('completed', { artifacts: [artifact('hello')] })],
    ['a wrapped task', task10('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'hello' }] }] })],
    [
      'parts that name a type',
      task03('completed', { artifacts: [{ artifactId: 'a', parts: [{ type: 'text', text: 'hello' }] }] }),
    ],
    ['a wrapped message', { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } }],
    [
      'a message that names its kind',
      { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'hello' }] },
    ],
    [
      'the old state in a new wrapper',
      { task: { id: 't1', status: { state: 'completed' }, artifacts: [artifact('hello')] } },
    ],
    [
      'the new state without one',
      { id: 't1', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [artifact('hello')] },
    ],
  ];
  for (const [version, card] of [
    ['0.3', card03('/', { capabilities: {} })],
    ['1.0', card10('/', { capabilities: {} })],
  ] as const)
    it.each(parts)(`A7 %s, over ${version}`, async (_, said) => {
      const agent = await agentOf(card, (_rpc, says) => says.result(said));
      expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
    });

  it.each([
    ['mimeType', { kind: 'file', file: { uri: 'https://a.example/x', mimeType: 'image/png' } }],
    ['mediaType', { url: 'https://a.example/x', mediaType: 'image/png' }],
  ])('A7 files with %s come out alike', async (_, part) => {
    const said = task03('completed', { artifacts: [{ artifactId: 'a', parts: [part] }] });
    const agent = await agentOf(card03('/', { capabilities: {} }), (_rpc, says) => says.result(said));
    const { artifacts } = await result(call(open(agent.url), { text: 'hi' }));
    expect(artifacts).toEqual([
      {
        artifactId: 'a',
        parts: [{ kind: 'file', file: { uri: 'https://a.example/x', mimeType: 'image/png' } }],
      },
    ]);
  });
});

describe('A8 a stream', () => {
  const message = {
    kind: 'message',
    messageId: 'm',
    role: 'agent',
    contextId: 'c1',
    parts: [{ kind: 'text', text: 'just this' }],
  };

  it('A8 of a message alone', async () => {
    const agent = await agentOf(card03('/'), inTurn({ 'message/stream': [whole(message)] }));
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({
      text: 'just this',
      context_id: 'c1',
    });
  });

  it('A8 of a task and what becomes of it, told as it comes', async () => {
    const events = [
      task03('submitted'),
      status03('working', 'on it'),
      chunk('hel'),
      chunk('lo', { append: true }),
      ended,
    ];
    const agent = await agentOf(card03('/'), inTurn({ 'message/stream': [whole(...events)] }));
    const told: Progress[] = [];
    const answered = call(open(agent.url), { text: 'hi' }, { report: (progress) => told.push(progress) });
    expect(await result(answered)).toMatchObject({ text: 'hello', response: 'on it' });
    expect(told).toEqual([
      { message: 'the agent works on it as its task t1 (submitted)' },
      { message: 'on it' },
      { text: 'hel' },
      { text: 'lo' },
    ]);
  });

  it('A8 of a task and then a message, which is the answer', async () => {
    const agent = await agentOf(
      card03('/'),
      inTurn({ 'message/stream': [whole(task03('working'), message)] }),
    );
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'just this' });
    expect(agent.calls().slice(1)).toEqual(['message/stream']);
  });

  it('A8 is read no further than to the end of the task, though the agent leaves it open', async () => {
    const stays = (says: Says) => says.events(task03('working'), chunk('hello'), ended);
    const agent = await agentOf(card03('/'), inTurn({ 'message/stream': [stays] }));
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
  });

  it('A8 is no matter where the agent answers in one piece, or streams without having been asked', async () => {
    const plain = await agentOf(card03('/'), inTurn({ 'message/stream': [gets(done03('hello'))] }));
    expect(await result(call(open(plain.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
    const card = card03('/', { capabilities: {} });
    const eager = await agentOf(
      card,
      inTurn({ 'message/send': [whole(task03('working'), done03('hello'))] }),
    );
    expect(await result(call(open(eager.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
  });
});

describe('A9 the text of a stream', () => {
  it('A9 may have CRLF, remarks, fields of its own and data in several lines', async () => {
    const agent = await agentOf(card03('/'), ({ id }, says) => {
      const [first, ...rest] = JSON.stringify({ jsonrpc: '2.0', id, result: done03('hello') }, null, 1).split(
        '\n',
      );
      says.raw(': keep-alive\r\n\r\n');
      says.raw(
        `retry: 100\r\nid: 7\r\nevent: message\r\ndata: ${first}\r\n${rest.map((line) => `data:${line}\r\n`).join('')}\r\n`,
      );
      says.end();
    });
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
  });

  it('A9 may hold an error, as an answer or as an event of that name', async () => {
    const error = { code: -32005, message: 'no such content' };
    for (const head of ['', 'event: error\n']) {
      const agent = await agentOf(card03('/'), ({ id }, says) => {
        says.raw(`${head}data: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`);
        says.end();
      });
      const said = await failure(call(open(agent.url), { text: 'hi' }));
      expect(said).toMatchObject({
        message: 'JSON-RPC Error -32005: no such content',
        data: { error_code: 'GLZ2010' },
      });
    }
    const words = await agentOf(card03('/'), (_, says) => {
      says.raw('event: error\ndata: out of memory\n\n');
      says.end();
    });
    expect(await failure(call(open(words.url), { text: 'hi' }))).toMatchObject({
      message: expect.stringContaining('out of memory'),
      data: { error_code: 'GLZ2001' },
    });
  });

  it('A9 that is no JSON is an error, and one that ends without a word may be asked again', async () => {
    const garbage = await agentOf(card03('/'), (_, says) => {
      says.raw('data: {oh\n\n');
      says.end();
    });
    expect((await failure(call(open(garbage.url), { text: 'hi' }))).data.error_code).toBe('GLZ2005');
    const silent = await agentOf(card03('/'), (_, says) => {
      says.raw(': nothing\n\n');
      says.end();
    });
    expect((await failure(call(open(silent.url), { text: 'hi' }))).data.error_code).toBe('GLZ2002');
  });
});
