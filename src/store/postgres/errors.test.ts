import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isRecordError, storeError } from './errors.ts';

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

describe('what the driver throws', () => {
  const withCode = (code: string) => Object.assign(new Error('no'), { code });

  it.each(['ERR_OUT_OF_RANGE', 'ERR_INVALID_ARG_TYPE'])(
    '%s is about a record, not about the server',
    (code) => {
      expect(isRecordError(withCode(code))).toBe(true);
      expect(storeError(withCode(code), place).message).toBe('no');
    },
  );

  it.each(['ECONNREFUSED', 'ERR_STREAM_DESTROYED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    '%s is about the way to the server',
    (code) => {
      expect(isRecordError(withCode(code))).toBe(false);
      expect(storeError(withCode(code), place).message).toMatch(/cannot be reached/);
    },
  );
});
