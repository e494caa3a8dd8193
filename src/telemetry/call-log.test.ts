import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { errorRecord, GleitzeitError } from '../core/errors.ts';
import type { Dispatch, Sent } from '../core/ports/dispatch.ts';
import type { Provider } from '../core/ports/provider.ts';
import { nobodyCame } from '../core/ports/router.ts';
import { outgoingCall } from '../core/testing/calls.suite.ts';
import { logCalls, logMethods } from './call-log.ts';
import { lineLogger } from './logger.ts';

function setUp() {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const logger = lineLogger('debug', write, () => new Date(0));
  return { lines, logger, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const call = outgoingCall({
  method: 'search',
  params: { query: 'hunter2' },
  call_id: 't1.1',
  workflow_id: 'w1',
  attempt: 2,
});

const provider: Provider = {
  id: 'one',
  protocol: 'web/v1',
  hasMethod: () => true,
  call: () => Promise.reject(new Error('called through dispatch only')),
};

const head = {
  task_id: 't1',
  workflow_id: 'w1',
  correlation_id: 't1.1',
  attempt: 2,
  provider: 'one',
  protocol: 'web/v1',
  method: 'search',
};

describe('the log of calls', () => {
  it.each<[Answer, object]>([
    [
      { word: 'done', result: '{"hits":["hunter2"]}' },
      { word: 'done', result: { hits: ['string(7)'] } },
    ],
    [
      { word: 'done', result: '{hunter2' },
      { word: 'done', result: 'no JSON(8)' },
    ],
    [
      { word: 'again', after_ms: 5, reason: 'hunter2' },
      { word: 'again', after_ms: 5 },
    ],
    [
      { word: 'failed', error: errorRecord('GLZ2001', 'hunter2', { remote_code: -32000 }) },
      { word: 'failed', error_code: 'GLZ2001', remote_code: -32000 },
    ],
  ])('tells who, which task and the structure of call and answer: %j', async (answer, told) => {
    const { lines, logger, parsed } = setUp();
    const dispatch = logCalls({ send: async () => answer }, logger);
    expect(await dispatch.send(provider, call)).toBe(answer);
    expect(parsed()).toMatchObject([
      { message: 'call', ...head, params: { query: 'string(7)' } },
      { message: 'answer', ...head, ...told },
    ]);
    expect(lines.join()).not.toContain('hunter2');
  });

  it('shows no secret of the call as the name of a member, be it long', async () => {
    const { lines, logger } = setUp();
    const secret = `xoxb-${'7'.repeat(100)}`;
    const answer = { word: 'done', result: JSON.stringify({ found: { [`for ${secret}`]: 1 } }) } as const;
    const told = { ...call, params: { [secret]: 'x' }, secrets: [secret] };
    await logCalls({ send: async () => answer }, logger).send(provider, told);
    expect(lines.join()).not.toContain('xoxb-');
    expect(lines.join()).toContain('found');
  });

  it('tells of a call that leaves that it has, or what it waits for', async () => {
    const { logger, parsed } = setUp();
    const sent: Sent[] = [
      { word: 'handed_over', bound_ms: 5 },
      { word: 'wait', line: { kind: 'breaker', key: 'broker', fair: false } },
    ];
    for (const one of sent) await logCalls({ send: async () => one }, logger).send(provider, call);
    expect(parsed().filter(({ message }) => message === 'sent')).toMatchObject([
      { ...head, word: 'handed_over', bound_ms: 5 },
      { ...head, word: 'wait', line: 'broker' },
    ]);
  });

  it('leaves all else to the dispatch it stands around', async () => {
    const { logger } = setUp();
    class Inner implements Required<Dispatch> {
      readonly told: unknown[] = [];
      send = async () => ({ word: 'handed_over', bound_ms: 5 }) as const;
      leaves() {
        return this.told.push('leaves') > 0;
      }
      async listen() {
        this.told.push('listen');
        return async () => {};
      }
      abandon() {
        this.told.push('abandon');
      }
      onRoom() {
        this.told.push('onRoom');
        return () => {};
      }
    }
    const inner = new Inner();
    const around = logCalls(inner, logger);
    expect(around.leaves?.(provider)).toBe(true);
    await around.listen?.({ ended: async () => true, kept: async () => {}, news: () => {} });
    around.abandon?.({ task_id: 't1', generation: 0, attempt: 1, provider: 'one' });
    around.onRoom?.(async () => nobodyCame);
    expect(inner.told).toEqual(['leaves', 'listen', 'abandon', 'onRoom']);
    expect(Object.keys(logCalls({ send: inner.send }, logger))).toEqual(['send']);
  });

  it('does the same for requests, and lets errors through', async () => {
    const { lines, logger, parsed } = setUp();
    const refusal = new GleitzeitError('GLZ1010', 'no hunter2 here');
    const methods = logMethods<{ params: unknown; id: unknown }>(
      new Map<string, (call: { params: unknown; id: unknown }) => unknown>([
        ['echo', ({ params }) => params],
        ['fail', () => Promise.reject(refusal)],
      ]),
      logger,
    );
    expect(await methods.get('echo')?.({ params: { text: 'hunter2', task_id: 't1' }, id: 7 })).toEqual({
      text: 'hunter2',
      task_id: 't1',
    });
    await expect(methods.get('fail')?.({ params: undefined, id: undefined })).rejects.toBe(refusal);
    expect(parsed()).toMatchObject([
      { message: 'request', method: 'echo', request_id: 7, task_id: 't1', params: { text: 'string(7)' } },
      { message: 'response', method: 'echo', request_id: 7, task_id: 't1', result: { text: 'string(7)' } },
      { message: 'request', method: 'fail', request_id: null, params: 'undefined' },
      { message: 'response', method: 'fail', error_code: 'GLZ1010' },
    ]);
    expect(lines.join()).not.toContain('hunter2');
  });
});
