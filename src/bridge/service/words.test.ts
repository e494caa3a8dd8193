import { expect, it } from 'vitest';
import { errorRecord } from '../../core/errors.ts';
import type { ToldAnswer } from '../messages/answer.ts';
import { withoutSecrets } from './words.ts';

const wait = {
  kind: 'input',
  ask: { say: 'hush' },
  kept: null,
  token: null,
  after_ms: 1,
  late: 'fail',
} as const;

it.each<[string, ToldAnswer]>([
  ['again', { word: 'again', after_ms: 1, reason: 'hush is busy' }],
  ['failed', { word: 'failed', error: errorRecord('GLZ2001', 'hush', { reason: 'said hush' }) }],
  ['outside', { word: 'outside', wait }],
])('no secret of a call stands in an answer that is told in words: %s', (_, answer) => {
  const told = withoutSecrets(answer, ['hush']);
  expect(JSON.stringify(told)).not.toContain('hush');
  expect(withoutSecrets(answer, [])).toBe(answer);
});
