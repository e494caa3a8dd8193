import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../core/error-codes.ts';
import { errorRecord } from '../../core/errors.ts';
import { refusalFor } from './engine-errors.ts';

describe('why a request was refused here', () => {
  it.each<[ErrorCode, number]>([
    ['GLZ1003', -32007],
    ['GLZ1004', -32007],
    ['GLZ1010', -32007],
    ['GLZ1014', -32007],
    ['GLZ3001', -32007],
    ['GLZ1009', -32003],
    ['GLZ1007', -32009],
    ['GLZ4003', -32006],
    ['GLZ3010', -32603],
    ['GLZ9001', -32603],
  ])('is said in the words of the contract: %s', (code, said) => {
    const error = refusalFor(errorRecord(code, 'inside'), { correlation_id: 'c' });
    expect(error).toMatchObject({ code: said, data: { correlation_id: 'c' } });
    expect(JSON.stringify(error)).not.toContain('inside');
  });

  it.each([
    ['/params/attachments/0', 'attachments/0'],
    ['/tasks/0/params/text', 'text'],
    ['/input/text', 'text'],
    ['/params', 'params'],
    ['/input', 'params'],
    [undefined, 'params'],
  ])('names the param: %s', (field, said) => {
    const where = field === undefined ? {} : { field };
    const { data } = refusalFor(errorRecord('GLZ1005', 'inside', { ...where, reason: 'is missing' }), {});
    expect(data).toEqual({ field: said, reason: 'is missing' });
  });
});
