import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';

import { sizeOf } from '../errors.ts';
import { MOST_SHOWN, writeDeadLetter } from './dead-letter.ts';
import { writeMonitoringUpdate } from './monitoring.ts';
import {
  readControl,
  readKept,
  readUpdates,
  type Update,
  writeControl,
  writeKept,
  writeUpdates,
} from './news.ts';
import { readCancellationRequest, readExecutionRequest } from './requests.ts';
import { bytes, NOW } from './testing.suite.ts';
import { readTime } from './time.ts';

const name = { task_id: 'task-1', attempt: 1, generation: 0 };

describe('news', () => {
  it('come as they were told, but for those that are heard elsewhere', () => {
    const bridge = { bridge: 'bridge-1', at_ms: NOW };
    const told: readonly Update[] = [
      { ...name, ...bridge, kind: 'started', ago_ms: 3 },
      { ...name, ...bridge, kind: 'progress', progress: { progress: 1, text: 'a' } },
      { ...name, ...bridge, kind: 'input_required' },
      { ...name, ...bridge, generation: 4, kind: 'ended' },
    ];
    const messages = writeUpdates('engine-1', told, 10_000);
    expect(messages.map((message) => readUpdates(bytes(message)))).toEqual([
      {
        engine: 'engine-1',
        news: [
          { ...name, kind: 'started', ago_ms: 3 },
          { ...name, kind: 'progress', progress: { progress: 1, text: 'a' } },
          { ...name, generation: 4, kind: 'ended' },
        ],
      },
    ]);
  });

  it('are at most a thousand in one message', () => {
    const update = { ...name, bridge: 'b', at_ms: NOW, kind: 'ended' } as const;
    const messages = writeUpdates('e', Array(2001).fill(update), Number.MAX_SAFE_INTEGER);
    expect(messages.map((message) => readUpdates(bytes(message)).news.length)).toEqual([1000, 1000, 1]);
  });

  it('of kinds that are not known yet are left out', () => {
    const text = JSON.stringify({ engine: 'e', updates: [{ ...name, kind: 'slept', at: 'now' }] });
    expect(readUpdates(bytes(text)).news).toEqual([]);
  });
});

it('what a call keeps comes as it was told', () => {
  const kept = { ...name, provider: 'a', kept: { job: [1] } };
  const message = writeKept(kept, NOW);
  expect([message.key, readKept(bytes(message))]).toEqual(['task-1/1', kept]);
});

it.each(['not wanted', null])('a cancellation comes as it was told (%s)', (reason) => {
  const control = { ...name, kind: 'cancel', reason } as const;
  const message = writeControl(control);
  expect([message.key, readControl(bytes(message))]).toEqual(['task-1/1', control]);
});

describe('a dead letter', () => {
  const refused = { topic: 't', key: 'k', place: 't/0/7', now_ms: NOW };
  const letter = (value: Uint8Array) =>
    JSON.parse(
      String(
        writeDeadLetter({ ...refused, value, error: new GleitzeitError('GLZ4005', 'no AgentTask') }).value,
      ),
    );

  it('says what it was, and why it could not be read', () => {
    expect(letter(bytes('{'))).toEqual({
      ...{ topic: 't', key: 'k', place: 't/0/7', value: '{', encoding: 'utf-8', reason: 'no AgentTask' },
      ...{ error_code: 'GLZ4005', timestamp: '2026-01-31T12:00:00.250Z' },
    });
  });

  it('shows bytes that are no text in base64', () => {
    expect(letter(Uint8Array.of(255, 0))).toMatchObject({ value: '/wA=', encoding: 'base64' });
  });

  it('is cut, also within a character', () => {
    const value = bytes(`x${'ü'.repeat(MOST_SHOWN)}`);
    const { value: shown, encoding, cut_from } = letter(value);
    expect([shown.length, encoding, cut_from]).toEqual([MOST_SHOWN / 2, 'utf-8', value.length]);
  });

  it('is never too large to be sent, whatever was refused and why', () => {
    const [key, value] = ['\u0001'.repeat(1_000_000), new Uint8Array(1_000_000)];
    const error = new GleitzeitError('GLZ1002', '\u0001'.repeat(1_000_000));
    expect(sizeOf(writeDeadLetter({ ...refused, key, value, error }))).toBeLessThan(900_000);
  });
});

describe('requests', () => {
  it('to run something name it or bring it', () => {
    const plan = { tasks: [] };
    const read = (fields: object) => readExecutionRequest(bytes(JSON.stringify({ run_id: 'r', ...fields })));
    const rest = { run_id: 'r', input_data: {}, correlation_id: null };
    expect(read({ workflow_plan: plan })).toEqual({ ...rest, workflow_plan: plan });
    expect(read({ workflow_plan: 'report', input_data: { a: 1 }, correlation_id: 'c' })).toEqual({
      ...{ run_id: 'r', workflow_plan: 'report', input_data: { a: 1 }, correlation_id: 'c' },
    });
    expect(() => read({ workflow_plan: [] })).toThrow(/workflow_plan/);
    expect(() => read({ workflow_plan: '' })).toThrow(/workflow_plan/);
    expect(() => read({})).toThrow(/workflow_plan/);
  });

  it('to end something may say who wants it, and why', () => {
    const read = (fields: object) => readCancellationRequest(bytes(JSON.stringify(fields)));
    expect(read({ run_id: 'r' })).toEqual({ run_id: 'r', requested_by: null, reason: null });
    const whole = { run_id: 'r', requested_by: 'me', reason: 'late' };
    expect(read(whole)).toEqual(whole);
    expect(() => read({ reason: 'x' })).toThrow(/run_id/);
  });
});

it('an update for those who look on is keyed by its run', () => {
  const update = { run_id: 'r', step_id: 's', step_name: 'n', status: 'RUNNING', metadata: {} } as const;
  const message = writeMonitoringUpdate({ ...update, at_ms: NOW });
  expect(message.key).toBe('r');
  expect(JSON.parse(String(message.value))).toEqual({ ...update, timestamp: '2026-01-31T12:00:00.250Z' });
});

describe('times', () => {
  const place = { message: 'AgentTask', field: '/timestamp' };

  it.each([
    '2026-01-31T12:00:00.25',
    '2026-01-31 12:00:00.250000',
    '2026-01-31T12:00:00.250Z',
    '2026-01-31T12:00:00,250z',
    '2026-01-31T13:00:00.250+01:00',
    '2026-01-31T13:00:00.250+0100',
    '2026-01-31T07:00:00.250-05',
    '2026-01-31T12:00:00.250123456+00:00',
  ])('are read as others write them: %s', (text) => {
    expect(readTime(text, place)).toBe(NOW);
  });

  it.each(['', 'now', '2026-13-01', '2026-02-01T25:00', '12:00', '1769860800'])('are refused: %s', (text) => {
    expect(() => readTime(text, place)).toThrow(/timestamp/);
  });
});
