import { describe, expect, it } from 'vitest';
import { ask, echo, messageIn, partsIn } from './scene.ts';

describe('Requirement 1: JSON-RPC request format', () => {
  it('1.1 a request has jsonrpc, id, method and params', async () => {
    const { request } = await ask('hello', echo);
    expect(Object.keys(request.body).toSorted()).toEqual(['id', 'jsonrpc', 'method', 'params']);
  });

  it('1.2 jsonrpc is "2.0"', async () => {
    const { request } = await ask('hello', echo);
    expect(request.body['jsonrpc']).toBe('2.0');
  });

  it('1.3 id is the task_id', async () => {
    const { request, task_id } = await ask('hello', echo);
    expect(task_id).not.toBe('');
    expect(request.body['id']).toBe(task_id);
  });

  it('1.4 method is "message/send"', async () => {
    const { request } = await ask('hello', echo);
    expect(request.body['method']).toBe('message/send');
  });

  it('1.5 params is an object that holds a message object', async () => {
    const { request } = await ask('hello', echo);
    expect(request.body['params']).toEqual({ message: expect.any(Object) });
  });

  it('1.6 the message has role, messageId and parts', async () => {
    const { request } = await ask('hello', echo);
    expect(Object.keys(messageIn(request.body))).toEqual(
      expect.arrayContaining(['role', 'messageId', 'parts']),
    );
  });

  it('1.7 role is "user"', async () => {
    const { request } = await ask('hello', echo);
    expect(messageIn(request.body)['role']).toBe('user');
  });

  it('1.8 messageId is made of the task_id, and another for every task', async () => {
    const first = await ask('hello', echo);
    const second = await ask('hello', echo);
    const ids = [first, second].map(({ request }) => messageIn(request.body)['messageId']);
    expect(ids).toEqual([`msg-${first.task_id}`, `msg-${second.task_id}`]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('1.9 the input becomes a list of parts with kind and text', async () => {
    const { request } = await ask({ topic: 'bees', words: 100 }, echo);
    expect(partsIn(request.body)).toEqual([{ kind: 'text', text: expect.any(String) }]);
  });

  it('1.10 text becomes parts of kind "text"', async () => {
    for (const input of ['hello', { text: 'hello' }]) {
      const { request } = await ask(input, echo);
      expect(partsIn(request.body)).toEqual([{ kind: 'text', text: 'hello' }]);
    }
  });
});
