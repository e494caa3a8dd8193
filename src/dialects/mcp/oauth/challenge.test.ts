import { describe, expect, it } from 'vitest';
import { readChallenge } from './challenge.ts';

describe('a challenge', () => {
  it.each([
    [
      'Bearer error="insufficient_scope", scope="a b", resource_metadata="https://h/.well-known/x"',
      { error: 'insufficient_scope', scope: ['a', 'b'], resource_metadata: 'https://h/.well-known/x' },
    ],
    ['bearer scope=a', { error: null, scope: ['a'], resource_metadata: null }],
    [
      'Basic realm="x", Bearer error="say \\"no\\""',
      { error: 'say "no"', scope: [], resource_metadata: null },
    ],
    [['Basic realm="x"', 'Bearer scope="a"'], { error: null, scope: ['a'], resource_metadata: null }],
    ['Basic realm="x"', { error: null, scope: [], resource_metadata: null }],
    ['', { error: null, scope: [], resource_metadata: null }],
    [undefined, { error: null, scope: [], resource_metadata: null }],
  ])('%j says %j', (header, challenge) => {
    expect(readChallenge(header)).toEqual(challenge);
  });
});
