import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes } from '../error-codes.ts';
import { errorRecord } from '../errors.ts';
import { isRpcAnswer, sourceOf } from './answered.ts';

const refused = (details = {}) => errorRecord('GLZ2010', 'no', details);
const status = (http_status: number) => ({ details: { http_status } });

describe('the error of a question', () => {
  it.each([
    ['an error of JSON-RPC', refused({ remote_code: -32601 }), 'answer'],
    [
      'the same under the status of its carrier',
      refused({ remote_code: -32602, reason: 'HTTP 400' }),
      'answer',
    ],
    ['a method that is not there, under 404', refused({ remote_code: -32601, reason: 'HTTP 404' }), 'answer'],
    ['another error under 404', refused({ remote_code: -32000, reason: 'HTTP 404' }), 'trouble'],
    ['an error in JSON-RPC under 401', refused({ remote_code: -32000, reason: 'HTTP 401' }), 'trouble'],
    ['params that the service refuses', refused(status(422)), 'answer'],
    ['a caller that the service refuses', refused(status(401)), 'trouble'],
    ['an address that the service does not have', refused(status(404)), 'trouble'],
    ['a program that refuses', refused(), 'answer'],
    ['too many calls', errorRecord('GLZ2004', 'slow down'), 'answer'],
    ['something that is no answer', errorRecord('GLZ2005', 'a page', status(200)), 'trouble'],
    ['something that cannot be read', errorRecord('GLZ2005', 'garbage'), 'trouble'],
    ['params that do not fit', refused({ field: '/params/id' }), 'nobody'],
    ['a param that is missing', errorRecord('GLZ2006', 'no id'), 'nobody'],
    ['a secret that is missing', errorRecord('GLZ3010', 'no key'), 'nobody'],
    ['a call that cannot be written', errorRecord('GLZ1005', 'no text'), 'nobody'],
  ])('that is %s', (_, error, source) => {
    expect(sourceOf(error, true)).toBe(source);
  });

  it('says nothing of the service where the provider has no such method and nobody was asked', () => {
    expect(sourceOf(refused(), false)).toBe('nobody');
    expect(sourceOf(refused({ remote_code: -32601 }), false)).toBe('answer');
  });

  it('is no answer where the call did not come through, or the service failed, whatever else it says', () => {
    const other = (Object.keys(errorCodes) as ErrorCode[]).filter(
      (code) => code !== 'GLZ2010' && errorCodes[code].class !== 'rate_limit',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...other),
        fc.option(fc.integer({ min: -32768, max: -32000 }), { nil: undefined }),
        fc.boolean(),
        (code, remote_code, known) => {
          const error = errorRecord(code, 'x', remote_code === undefined ? {} : { remote_code });
          expect(sourceOf(error, known)).not.toBe('answer');
        },
      ),
    );
  });
});

describe('an error in JSON-RPC', () => {
  it.each([
    ['of any code', errorRecord('GLZ2001', 'x', { remote_code: -32000 }), true],
    ['under 500', errorRecord('GLZ2001', 'x', { remote_code: -32000, reason: 'HTTP 500' }), true],
    ['of a proxy', errorRecord('GLZ2001', 'x', { remote_code: -32000, reason: 'HTTP 503' }), false],
    ['that stands nowhere', errorRecord('GLZ2001', 'x', status(500)), false],
  ])('%s', (_, error, answer) => {
    expect(isRpcAnswer(error)).toBe(answer);
  });
});
