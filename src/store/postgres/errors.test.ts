import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { storeError } from './errors.ts';

const place = { host: 'db', port: 5432, database: 'work', schema: 'gleitzeit' };

function refused(state: string): pg.DatabaseError {
  const error = new pg.DatabaseError('no', 0, 'error');
  error.code = state;
  return error;
}

describe('rows that others wanted time and again', () => {
  it.each(['40001', '40P01', 'GZ001'])('are no lock on the whole store: SQLSTATE %s', (state) => {
    expect(storeError(refused(state), place, 'nothing was written')).toMatchObject({
      code: 'GLZ3001',
      message: expect.stringMatching(/too contended/),
      details: { reason: expect.stringMatching(/nothing was written/) },
    });
  });
});
