import { afterEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  call,
  card03,
  closeAll,
  done03,
  failure,
  open,
  result,
  type Says,
  task03,
  waiting,
} from './testing/agent.suite.ts';
import { agentOf, chunk, ended, gets, inTurn, whole } from './testing/script.suite.ts';

afterEach(closeAll);

const plain = { capabilities: {} };
const working = gets(task03('working'));
const done = gets(done03('hello'));

/** What stands between us and an agent likes to answer in its place. */
const page = (says: Says) => says.text('<h1>back soon</h1>', 200, { 'content-type': 'text/html' });
const half = (says: Says) => says.text('{"jsonrpc":"2.0","id":', 200, { 'content-type': 'application/json' });
const nothing = (says: Says) => says.text('', 200);
const strange = (says: Says) => says.json({ jsonrpc: '2.0', id: 'of somebody else', result: done03('no') });
const shapeless = (says: Says) => says.result(['t1']);
const mixedUp = gets({ ...done03('no'), id: 't2' });

function keeper() {
  const kept: Json[] = [];
  const keep = async (value: Json) => {
    kept.push(value);
    return true;
  };
  return { keep, last: () => kept.at(-1) };
}

describe('an agent that cannot be understood while it works', () => {
  it.each([
    ['a page', page],
    ['half an answer', half],
    ['nothing', nothing],
    ['the answer of somebody else', strange],
    ['a list', shapeless],
    ['another task', mixedUp],
  ])('is asked again: %s', async (_, garbled) => {
    const turns = {
      'message/send': [working],
      'tasks/get': [working, garbled, garbled, working, garbled, done],
    };
    const agent = await agentOf(card03('/', plain), inTurn(turns));
    const provider = open(agent.url, { poll_interval: 0.01 });
    expect(await result(call(provider, { text: 'hi' }))).toMatchObject({ text: 'hello' });
    expect(agent.calls().slice(1)).toEqual(['message/send', ...Array(6).fill('tasks/get')]);
  });

  it('is asked for its task where its first stream cannot be read to the end', async () => {
    const broken = (says: Says) => {
      says.events(task03('working'), chunk('hel'));
      says.raw('data: {"jsonrpc":\n\n');
      says.end();
    };
    const turns = {
      'message/stream': [broken],
      'tasks/resubscribe': [whole(task03('working'), chunk('hello'), ended)],
      'tasks/get': [done],
    };
    const agent = await agentOf(card03('/'), inTurn(turns));
    expect(await result(call(open(agent.url), { text: 'hi' }))).toMatchObject({ text: 'hello' });
    expect(agent.calls().filter((method) => method === 'message/stream')).toHaveLength(1);
  });

  it('is come back to a few times, also by another engine, and then given up', async () => {
    const turns = { 'message/send': [working], 'tasks/get': [page] };
    const agent = await agentOf(card03('/', plain), inTurn(turns));
    const { keep, last } = keeper();
    const pauses: number[] = [];
    let answer = await call(open(agent.url), { text: 'hi' }, { keep });
    while (answer.word === 'again') {
      pauses.push(answer.after_ms);
      answer = await call(open(agent.url), { text: 'hi' }, { keep, kept: last() });
    }
    expect(pauses).toEqual([1000, 2000, 4000]);
    expect(await failure(Promise.resolve(answer))).toMatchObject({ data: { error_code: 'GLZ2005' } });
    expect(agent.calls().filter((method) => method === 'message/send')).toHaveLength(1);
  });

  it('is come back to after it has called back', async () => {
    const turns = { 'message/send': [working], 'tasks/get': [half, done] };
    const card = card03('/', { capabilities: { pushNotifications: true } });
    const agent = await agentOf(card, inTurn(turns));
    const { keep, last } = keeper();
    const callback = { url: 'http://127.0.0.1:9/notify/t', token: 'callback-token' };
    const provider = open(agent.url, { push: true });
    const wait = await waiting(call(provider, { text: 'hi' }, { keep, callback }));
    const response: JsonObject = task03('working');
    const first = await call(provider, { text: 'hi' }, { keep, callback, kept: wait.kept, response });
    expect(first).toMatchObject({ word: 'again', after_ms: 1000 });
    const next = call(provider, { text: 'hi' }, { keep, callback, kept: last(), response });
    expect(await result(next)).toMatchObject({ text: 'hello' });
  });

  it('is not given its task again where it cannot be understood before it has named one', async () => {
    const agent = await agentOf(card03('/', plain), inTurn({ 'message/send': [page] }));
    const { keep } = keeper();
    expect((await failure(call(open(agent.url), { text: 'hi' }, { keep }))).data.error_code).toBe('GLZ2005');
    expect(agent.calls().slice(1)).toEqual(['message/send']);
  });
});
