import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { readAgentTask, writeAgentTask } from './agent-task.ts';
import { bytes, changed, NOW, outgoingCall, providerNamed } from './testing.suite.ts';

const sending = { engine: 'engine-1', now_ms: NOW, expires_at_ms: NOW + 630_000 };
const ours = writeAgentTask(providerNamed('search-1'), outgoingCall(), sending);

const foreign = {
  run_id: 'run-9',
  task_id: 'step-1',
  agent_name: 'writer',
  input_data: { text: 'hello' },
  correlation_id: '5f0c',
  timestamp: '2026-01-31T12:00:00.250000',
};

function codeOf(read: () => unknown): string {
  try {
    read();
  } catch (thrown) {
    return GleitzeitError.from(thrown).code;
  }
  throw new Error('it was read');
}

describe('a task of ours', () => {
  it('has the members that everybody reads, and those of ours beside them', () => {
    expect(ours.key).toBe('run-1');
    expect(JSON.parse(String(ours.value))).toEqual({
      run_id: 'run-1',
      task_id: 'task-1',
      agent_name: 'search-1',
      input_data: { query: 'walls' },
      correlation_id: 'task-1/1',
      timestamp: '2026-01-31T12:00:00.250Z',
      provider: 'search-1',
      protocol: 'web-search/v1',
      method: 'search',
      attempt: 1,
      call_id: 'call-1',
      max_attempts: 1,
      timeout_ms: 30_000,
      expires_at: '2026-01-31T12:10:30.250Z',
      engine: 'engine-1',
    });
  });

  it('is read as it was written', () => {
    const call = outgoingCall({
      workflow_id: null,
      generation: 2,
      attempt: 3,
      kept: { job: 7 },
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      sealed: () => ({
        params: '{"query":{"$sealed":"x"}}',
        response: '"yes"',
        callback: { url: 'http://127.0.0.1/notify/task-1', token: { $sealed: 'y' } },
        secrets: true,
      }),
    });
    const read = readAgentTask(bytes(writeAgentTask(providerNamed('search-1'), call, sending)));
    expect(read).toEqual({
      run_id: 'task-1',
      task_id: 'task-1',
      agent_name: 'search-1',
      input_data: { query: { $sealed: 'x' } },
      correlation_id: 'task-1/3.2',
      at_ms: NOW,
      ours: {
        name: { task_id: 'task-1', attempt: 3, generation: 2 },
        provider: 'search-1',
        protocol: 'web-search/v1',
        method: 'search',
        call_id: 'call-1',
        workflow_id: null,
        timeout_ms: 30_000,
        expires_at_ms: NOW + 630_000,
        engine: 'engine-1',
        secrets: true,
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
        kept: { job: 7 },
        response: 'yes',
        callback: { url: 'http://127.0.0.1/notify/task-1', token: { $sealed: 'y' } },
      },
    });
  });

  it.each([
    ['agent:writer', 'agent/v1', 'writer'],
    ['agent:writer@web-search/v1', 'web-search/v1', 'writer'],
    ['search-1', 'web-search/v1', 'search-1'],
  ])('names %s of %s by the name %s', (id, protocol, name) => {
    const message = writeAgentTask(providerNamed(id, protocol), outgoingCall(), sending);
    const read = readAgentTask(bytes(message));
    expect([read.agent_name, read.ours?.provider]).toEqual([name, id]);
  });

  it.each([
    ['without a method', { method: undefined }],
    ['with more attempts than one', { max_attempts: 3 }],
    ['with another correlation id', { correlation_id: 'task-1/2' }],
    ['with a time that is none', { expires_at: 'soon' }],
    ['with an attempt before the first', { attempt: 0 }],
    ['with an engine that has no name', { engine: null }],
  ])('is refused %s', (_, fields) => {
    expect(codeOf(() => readAgentTask(changed(ours, fields)))).toBe('GLZ4006');
  });
});

describe('a task of another executor', () => {
  it('needs what everybody writes, and its time is UTC', () => {
    const read = readAgentTask(bytes(JSON.stringify({ ...foreign, priority: 'high', attempt: 'x' })));
    const { timestamp, ...members } = foreign;
    expect(read).toEqual({ ...members, at_ms: NOW, ours: null });
  });

  it.each([null, undefined])('may leave its time out (%s)', (timestamp) => {
    expect(readAgentTask(bytes(JSON.stringify({ ...foreign, timestamp }))).at_ms).toBeNull();
  });

  it.each([
    ['no JSON', '{', 'GLZ4005'],
    ['no object', '[]', 'GLZ4006'],
    ['a time that is none', JSON.stringify({ ...foreign, timestamp: 'yesterday' }), 'GLZ4006'],
    ['no name of an agent', JSON.stringify({ ...foreign, agent_name: '' }), 'GLZ4006'],
    ['input that is no object', JSON.stringify({ ...foreign, input_data: 'text' }), 'GLZ4006'],
    ['a name without end', JSON.stringify({ ...foreign, run_id: 'x'.repeat(600) }), 'GLZ4006'],
    ['a trick', JSON.stringify(foreign).replace('"text"', '"\\u005f_proto__"'), 'GLZ4006'],
    ['too many levels', `${'['.repeat(1000)}${']'.repeat(1000)}`, 'GLZ4006'],
    ['too many bytes', `"${' '.repeat(10 * 1024 * 1024)}"`, 'GLZ1007'],
  ])('is refused with %s', (_, text, code) => {
    expect(codeOf(() => readAgentTask(bytes(text)))).toBe(code);
  });

  it('is refused where it is no UTF-8', () => {
    expect(codeOf(() => readAgentTask(Uint8Array.of(0x22, 0xff, 0x22)))).toBe('GLZ4005');
  });

  it('says what is missing', () => {
    const { correlation_id, ...rest } = foreign;
    expect(() => readAgentTask(bytes(JSON.stringify(rest)))).toThrow(/correlation_id/);
  });
});
