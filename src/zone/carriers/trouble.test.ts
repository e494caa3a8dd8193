import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { carrierError } from '../../rpc/http/failure.ts';
import { carrierTrouble, requireSize } from './trouble.ts';

describe('the size of a request', () => {
  it.each([
    ['x'.repeat(10), 10],
    ['ü'.repeat(5), 10],
    ['世'.repeat(3), 9],
    ['🌍'.repeat(2), 8],
    ['', 0],
  ])('may be all that is carried, and no byte more: %s', (body, bytes) => {
    expect(() => requireSize('test', body, bytes)).not.toThrow();
    expect(() => requireSize('test', `${body}x`, bytes)).toThrow(
      expect.objectContaining({ trouble: 'too_large', arrived: 'no' }),
    );
  });
});

describe('trouble of a channel', () => {
  it('with a certificate is told by what it is, not by words that a peer may say', () => {
    const error = Object.assign(new Error('not ours'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    expect(carrierTrouble('test', carrierError(error, 'https://zone.example.org'))).toMatchObject({
      trouble: 'unauthenticated',
      arrived: 'no',
    });
    const said = new GleitzeitError('GLZ2002', 'no trusted connection, it says');
    expect(carrierTrouble('test', said)).toMatchObject({ trouble: 'unreachable', arrived: 'maybe' });
  });
});
