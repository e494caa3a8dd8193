import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json.ts';
import { readSaid } from './said.ts';

function read(result: unknown) {
  const odd: string[] = [];
  return { said: readSaid(result as Json, odd), odd };
}

function taskIn(result: unknown) {
  const { said, odd } = read(result);
  if (said.is !== 'task') throw new Error(`it is a ${said.is}`);
  return { ...said.task, odd };
}

const completed = { state: 'completed' };

describe('what an agent says', () => {
  it('is a task that says so, one in a wrapper, or one that looks like it', () => {
    const body = { id: 't', contextId: 'c', status: completed };
    const task = {
      id: 't',
      context_id: 'c',
      status: { state: 'completed', said: 'completed' },
      artifacts: [],
      history: [],
    };
    for (const result of [{ kind: 'task', ...body }, { task: body }, body])
      expect(read(result)).toEqual({ said: { is: 'task', task }, odd: [] });
    expect(read({ artifacts: [] })).toMatchObject({ said: { is: 'task' }, odd: ['has no status.state'] });
    expect(read({ history: [] })).toMatchObject({ said: { is: 'task' } });
  });

  it('is a message that says so, one in a wrapper, or one that looks like it', () => {
    const body = { messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] };
    const message = { message_id: 'm', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] };
    for (const result of [{ kind: 'message', ...body }, { message: { ...body, role: 'ROLE_AGENT' } }, body])
      expect(read(result).said).toEqual({ is: 'message', message });
    expect(read({ parts: [] })).toMatchObject({ odd: ['has a message without messageId'] });
  });

  it('is an update of the status or of an artifact', () => {
    const status = { taskId: 't', contextId: 'c', status: { state: 'working' } };
    const expected = {
      is: 'status',
      task_id: 't',
      context_id: 'c',
      status: { state: 'working', said: 'working' },
    };
    expect(read({ kind: 'status-update', ...status, final: false }).said).toEqual({
      ...expected,
      final: false,
    });
    expect(read({ statusUpdate: status }).said).toEqual(expected);
    expect(read(status).said).toEqual(expected);
    const artifact = { taskId: 't', artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, lastChunk: true };
    const piece = {
      is: 'artifact',
      task_id: 't',
      artifact: { artifact_id: 'a', parts: [{ kind: 'text', text: 'x' }] },
      append: false,
      last_chunk: true,
    };
    for (const result of [{ kind: 'artifact-update', ...artifact }, { artifactUpdate: artifact }, artifact])
      expect(read(result).said).toEqual(piece);
    expect(read({ kind: 'artifact-update' }).said).toMatchObject({ task_id: '', artifact: { parts: [] } });
  });

  it.each([
    [null, 'no object'],
    ['done', 'no object'],
    [[{ kind: 'task' }], 'no object'],
    [{}, 'neither a task nor a message'],
    [{ kind: 'toString' }, 'neither a task nor a message'],
    [{ kind: 'agent-card', task: 'x' }, 'neither a task nor a message'],
  ])('is not %j', (result, words) => {
    expect(() => read(result)).toThrow(words);
  });

  it.each([
    ['completed', 'completed'],
    ['TASK_STATE_COMPLETED', 'completed'],
    ['TASK_STATE_INPUT_REQUIRED', 'input-required'],
    ['input_required', 'input-required'],
    ['auth-required', 'auth-required'],
    ['cancelled', 'canceled'],
    ['TASK_STATE_CANCELED', 'canceled'],
    ['TASK_STATE_UNSPECIFIED', 'unknown'],
    ['tidied up', 'unknown'],
  ])('spells a state %s and means %s', (said, state) => {
    expect(taskIn({ id: 't', status: { state: said } }).status).toEqual({ state, said });
  });

  it('has parts of all times', () => {
    const parts = [
      { kind: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { text: 'c', mediaType: 'text/plain' },
      { kind: 'file', file: { bytes: 'AA==', name: 'n', mimeType: 'image/png' } },
      { kind: 'file', file: { uri: 'http://x/', mimeType: null } },
      { raw: 'AA==', filename: 'n', mediaType: 'image/png' },
      { url: 'http://x/' },
      { kind: 'data', data: { a: 1 }, metadata: { m: 1 } },
      { data: [1], mediaType: 'application/json' },
      { data: null },
    ];
    const { artifacts, odd } = taskIn({ status: completed, artifacts: [{ artifactId: 'a', parts }] });
    expect(odd).toEqual([]);
    expect(artifacts[0]?.parts).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
      { kind: 'text', text: 'c' },
      { kind: 'file', file: { bytes: 'AA==' }, name: 'n', media_type: 'image/png' },
      { kind: 'file', file: { uri: 'http://x/' } },
      { kind: 'file', file: { bytes: 'AA==' }, name: 'n', media_type: 'image/png' },
      { kind: 'file', file: { uri: 'http://x/' } },
      { kind: 'data', data: { a: 1 }, metadata: { m: 1 } },
      { kind: 'data', data: [1] },
      { kind: 'data', data: null },
    ]);
  });

  it('may be odd in places, which costs only those places', () => {
    const task = taskIn({
      status: completed,
      artifacts: [null, { artifactId: 'a', parts: [7, {}, { kind: 'text' }, { text: 'kept' }] }],
      history: { role: 'agent' },
    });
    expect(task.artifacts).toEqual([{ artifact_id: 'a', parts: [{ kind: 'text', text: 'kept' }] }]);
    expect(task.history).toEqual([]);
    expect(task.odd).toEqual([
      'has something else than objects in its artifacts',
      ...Array.from({ length: 3 }, () => 'has a part that is neither text, file nor data'),
      'has history that are no list',
    ]);
  });
});
