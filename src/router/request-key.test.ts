import { describe, expect, it } from 'vitest';
import { keyAt, keyText } from './request-key.ts';

const call = { protocol: 'a/v1', method: 'm', task_id: 't', workflow_id: 'w', avoid: [], called: false };
const request = { ...call, params: { user: 'ada', login: { pin: 7 }, none: null } };

describe('what a call is told apart by', () => {
  it('is what stands there as text, or nothing', () => {
    const keys = [
      'params.user',
      'params.login',
      'params.login.pin',
      'workflow_id',
      'params.none',
      'params.x',
    ];
    expect(keys.map((key) => keyAt(key, request))).toEqual(['ada', '{"pin":7}', '7', 'w', null, null]);
  });

  it('is never a secret of the call, but what stands for it', () => {
    const shown = (text: string) => (text.includes('7') ? '[secret] mark' : text);
    const value = keyAt('params.login.pin', { ...request, shown }) ?? '';
    expect(keyText('params.login.pin', value)).toBe('login.pin=[secret] mark');
    expect(keyAt('params.user', { ...request, shown })).toBe('ada');
  });
});
