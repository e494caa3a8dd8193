import { describe, expect, it } from 'vitest';
import { classOf } from '../../core/errors.ts';
import { answerFrom } from './answer.ts';

describe('what a gRPC service says', () => {
  it('is done with a message, or with all messages of a stream', () => {
    expect(answerFrom({ said: 'message', message: { a: 1 } })).toEqual({ word: 'done', result: '{"a":1}' });
    expect(answerFrom({ said: 'stream', messages: [1, 2] })).toEqual({ word: 'done', result: '[1,2]' });
  });

  it.each([
    [1, 'server'],
    [2, 'server'],
    [3, 'rejected'],
    [4, 'timeout'],
    [5, 'rejected'],
    [6, 'rejected'],
    [7, 'rejected'],
    [8, 'rate_limit'],
    [9, 'rejected'],
    [10, 'server'],
    [11, 'rejected'],
    [12, 'rejected'],
    [13, 'server'],
    [14, 'transport'],
    [15, 'rejected'],
    [16, 'rejected'],
    [99, 'rejected'],
  ])('status %d is %s', (code, expected) => {
    const answer = answerFrom({ said: 'status', code, message: 'said' });
    if (answer.word !== 'failed') throw new Error('not failed');
    expect([classOf(answer.error), answer.error.message]).toEqual([expected, 'said']);
  });
});
