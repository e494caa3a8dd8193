import { describe, expect, it } from 'vitest';
import { callParts, inputParts, messageId, userMessage } from './input.ts';
import {
  cancelRequest,
  deletePushRequest,
  extendedCardRequest,
  getRequest,
  sendRequest,
  setPushRequest,
  streamRequest,
  subscribeRequest,
  wireHeaders,
} from './requests.ts';

const old = { version: '0.3' } as const;
const now = { version: '1.0', tenant: 'acme' } as const;
const message = userMessage({ call_id: 't1', parts: inputParts('hi') });

describe('a request', () => {
  it('sends a message in either version', () => {
    expect(sendRequest(old, { message })).toEqual({
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          role: 'user',
          messageId: 'msg-t1',
          parts: [{ kind: 'text', text: 'hi' }],
        },
      },
    });
    expect(sendRequest(now, { message })).toEqual({
      method: 'SendMessage',
      params: {
        tenant: 'acme',
        message: { role: 'ROLE_USER', messageId: 'msg-t1', parts: [{ text: 'hi' }] },
      },
    });
    expect(streamRequest(old, { message }).method).toBe('message/stream');
    expect(streamRequest(now, { message }).method).toBe('SendStreamingMessage');
    expect(sendRequest(old, { message, method: 'agent.ask' }).method).toBe('agent.ask');
  });

  it('says how it wants to be answered', () => {
    const push = { url: 'http://127.0.0.1:1/', token: 's3', id: 'p' };
    const sending = {
      message,
      blocking: true,
      accepted_output_modes: ['text/plain'],
      history_length: 3,
      push,
      metadata: { a: 1 },
    };
    expect(sendRequest(old, sending).params).toMatchObject({
      configuration: {
        blocking: true,
        acceptedOutputModes: ['text/plain'],
        historyLength: 3,
        pushNotificationConfig: {
          ...push,
          authentication: { schemes: ['Bearer'], credentials: 's3' },
        },
      },
      metadata: { a: 1 },
    });
    expect(sendRequest(now, sending).params).toMatchObject({
      configuration: {
        returnImmediately: false,
        taskPushNotificationConfig: { ...push, authentication: { scheme: 'Bearer', credentials: 's3' } },
      },
    });
  });

  it('asks about a task', () => {
    expect(getRequest(old, 'x', 0)).toEqual({ method: 'tasks/get', params: { id: 'x', historyLength: 0 } });
    expect(getRequest(now, 'x')).toEqual({ method: 'GetTask', params: { tenant: 'acme', id: 'x' } });
    expect(cancelRequest(old, 'x')).toEqual({ method: 'tasks/cancel', params: { id: 'x' } });
    expect(cancelRequest(now, 'x').method).toBe('CancelTask');
    expect(subscribeRequest(old, 'x').method).toBe('tasks/resubscribe');
    expect(subscribeRequest(now, 'x').method).toBe('SubscribeToTask');
    expect(extendedCardRequest(old)).toEqual({ method: 'agent/getAuthenticatedExtendedCard', params: {} });
    expect(extendedCardRequest({ version: '1.0', tenant: '' })).toEqual({
      method: 'GetExtendedAgentCard',
      params: {},
    });
  });

  it('asks to be called back', () => {
    const push = { url: 'http://127.0.0.1:1/', token: 's3' };
    expect(setPushRequest(old, 'x', push)).toMatchObject({
      method: 'tasks/pushNotificationConfig/set',
      params: { taskId: 'x', pushNotificationConfig: { url: push.url, token: 's3' } },
    });
    expect(setPushRequest(now, 'x', push)).toMatchObject({
      method: 'CreateTaskPushNotificationConfig',
      params: { tenant: 'acme', taskId: 'x', url: push.url, token: 's3' },
    });
    expect(deletePushRequest(old, 'x', 'p').params).toEqual({ id: 'x', pushNotificationConfigId: 'p' });
    expect(deletePushRequest(now, 'x', 'p').params).toEqual({ tenant: 'acme', taskId: 'x', id: 'p' });
  });

  it('names its version where there is a name for it', () => {
    expect(wireHeaders('0.3')).toEqual({});
    expect(wireHeaders('1.0')).toEqual({ 'a2a-version': '1.0' });
    expect(wireHeaders('0.3', ['urn:a', 'urn:b'])).toEqual({ 'x-a2a-extensions': 'urn:a, urn:b' });
    expect(wireHeaders('1.0', ['urn:a'])).toEqual({ 'a2a-version': '1.0', 'a2a-extensions': 'urn:a' });
  });

  it('goes on with a task of the agent', () => {
    const more = userMessage({ call_id: 't1.1', parts: [], task_id: 'x', context_id: 'c' });
    expect(more).toEqual({ message_id: 'msg-t1.1', role: 'user', parts: [], task_id: 'x', context_id: 'c' });
    expect(messageId('t1')).toBe('msg-t1');
  });

  it('calls the method of a protocol as text and as data', () => {
    const call = { method: 'search', params: { q: 'x' } };
    expect(callParts('search', { q: 'x' })).toEqual([
      { kind: 'text', text: JSON.stringify(call) },
      { kind: 'data', data: call },
    ]);
  });

  it('wraps data that the old version has no form for', () => {
    const parts = [{ kind: 'data', data: [1] }] as const;
    const sent = (version: '0.3' | '1.0') =>
      sendRequest({ version }, { message: userMessage({ call_id: 't', parts }) }).params;
    expect(sent('0.3')).toMatchObject({ message: { parts: [{ kind: 'data', data: { value: [1] } }] } });
    expect(sent('1.0')).toMatchObject({ message: { parts: [{ data: [1], mediaType: 'application/json' }] } });
  });
});
