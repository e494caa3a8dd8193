import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json.ts';
import { assembled } from './assemble.ts';
import type { Task } from './model.ts';
import { readSaid } from './said.ts';

/** What is known after a number of words, as an agent would say them. */
function known(...results: readonly object[]): Task {
  const task = results.reduce<Task | null>((before, result) => {
    const said = readSaid(result as Json, []);
    if (said.is === 'message') throw new Error('a message is no part of a task');
    return assembled(before, said);
  }, null);
  if (task === null) throw new Error('nothing was said');
  return task;
}

const text = (words: string) => ({ kind: 'text', text: words });
const status = (state: string, more: object = {}) => ({
  kind: 'status-update',
  taskId: 't',
  status: { state, ...more },
});
const piece = (id: string, words: string, more: object = {}) => ({
  kind: 'artifact-update',
  taskId: 't',
  artifact: { artifactId: id, parts: [text(words)] },
  ...more,
});
const partsOf = ({ artifacts }: Task) =>
  Object.fromEntries(artifacts.map(({ artifact_id, parts }) => [artifact_id, parts]));

describe('a task that is told in pieces', () => {
  it('has the text of an artifact in one piece, wherever it was broken', () => {
    const task = known(
      { kind: 'task', id: 't', contextId: 'c', status: { state: 'submitted' } },
      status('working'),
      piece('a', 'Hel'),
      piece('b', 'other'),
      piece('a', 'lo', { append: true }),
      piece('a', '!', { append: true, lastChunk: true }),
      status('completed'),
    );
    expect(partsOf(task)).toEqual({ a: [text('Hello!')], b: [text('other')] });
    expect(task).toMatchObject({ id: 't', context_id: 'c', status: { state: 'completed' } });
  });

  it('keeps parts of other kinds apart, and replaces what is not appended', () => {
    const data = { kind: 'data', data: { n: 1 } };
    const more = {
      kind: 'artifact-update',
      taskId: 't',
      append: true,
      artifact: { artifactId: 'a', parts: [data] },
    };
    expect(partsOf(known(piece('a', 'x'), more))).toEqual({ a: [text('x'), data] });
    expect(partsOf(known(piece('a', 'x'), piece('a', 'y')))).toEqual({ a: [text('y')] });
    expect(partsOf(known(piece('a', 'x', { append: true })))).toEqual({ a: [text('x')] });
  });

  it('has nothing twice when the agent tells the whole task again', () => {
    const whole = {
      kind: 'task',
      id: 't',
      status: { state: 'working' },
      artifacts: [{ artifactId: 'a', parts: [text('Hello')] }],
    };
    const task = known(piece('a', 'Hel'), piece('a', 'lo', { append: true }), piece('b', 'mine'), whole);
    expect(partsOf(task)).toEqual({ b: [text('mine')], a: [text('Hello')] });
  });

  it('stays in one piece where the agent tells the whole task as the pieces it was made of', () => {
    const retold = (...parts: readonly object[]) => ({
      kind: 'task',
      id: 't',
      status: { state: 'completed' },
      artifacts: [{ artifactId: 'a', parts }],
    });
    const pieces = [piece('a', 'Hel'), piece('a', 'lo', { append: true })] as const;
    expect(partsOf(known(...pieces, retold(text('Hel'), text('lo'))))).toEqual({ a: [text('Hello')] });
    const more = [text('Hel'), text('lo'), text('!')];
    expect(partsOf(known(...pieces, retold(...more)))).toEqual({ a: more });
    const other = [text('Hello'), { kind: 'data', data: {} }];
    expect(partsOf(known(...pieces, retold(...other)))).toEqual({ a: other });
  });

  it('keeps the words that came with earlier states, once', () => {
    const words = (id: string) => ({ message: { role: 'agent', messageId: id, parts: [text(id)] } });
    const task = known(
      { kind: 'task', id: 't', status: { state: 'working', ...words('m1') }, history: [words('m1').message] },
      status('working', words('m2')),
      status('completed'),
    );
    expect(task.history.map(({ message_id }) => message_id)).toEqual(['m1', 'm2']);
    const told = known(
      { kind: 'task', id: 't', status: { state: 'working' }, history: [words('m1').message] },
      {
        kind: 'task',
        id: 't',
        status: { state: 'completed' },
      },
    );
    expect(told.history).toHaveLength(1);
  });

  it('can begin with a piece, and learns its name whenever it is told', () => {
    expect(known(piece('a', 'x'))).toMatchObject({ id: 't', status: { state: 'working' } });
    const named = known(
      { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } },
      { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } },
    );
    expect(named).toMatchObject({ id: 't', context_id: 'c', status: { state: 'completed' } });
  });
});
