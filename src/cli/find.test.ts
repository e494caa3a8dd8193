import { describe, expect, it } from 'vitest';
import { CallError, type Client } from '../sdk/index.ts';
import { findId } from './find.ts';

/** A server that knows these runs and no task. */
function clientOf(...ids: readonly string[]): Client {
  const call = async (method: string, params: { workflow_id?: string } = {}) => {
    if (method === 'workflow.list') return { items: ids.map((workflow_id) => ({ workflow_id })) };
    if (method === 'task.list') return { items: [] };
    if (method === 'workflow.status' && ids.includes(params.workflow_id ?? '')) return { tasks: [] };
    throw new CallError({ method, code: 1010, error_code: 'GLZ1010' }, 'not found', {});
  };
  return { call } as unknown as Client;
}

describe('an id', () => {
  const client = clientOf('0197c2a5-0b6d-1', '0197c2a5-0b6d-2', '0197c2a5-ffff-3');

  it('is found by a beginning that fits only one', async () => {
    expect(await findId(client, '0197c2a5-f')).toMatchObject({ kind: 'run', id: '0197c2a5-ffff-3' });
  });

  it('is not guessed where several begin so, or too little is said', async () => {
    await expect(findId(client, '0197c2a5-0b6d')).rejects.toMatchObject({
      code: 'GLZ1010',
      message: 'several ids begin with "0197c2a5-0b6d"',
      details: { reason: '0197c2a5-0b6d-1 and 0197c2a5-0b6d-2, for example', hint: 'write more of it' },
    });
    await expect(findId(clientOf('0197c2a5'), '0197c2a')).rejects.toThrow('there is no run and no task');
  });
});
