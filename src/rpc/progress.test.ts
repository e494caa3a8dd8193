import { describe, expect, it } from 'vitest';
import { progressOf } from './progress.ts';

describe('a notification as news of a call', () => {
  it.each([
    ['ours', 'progress', { id: 'c', progress: 1, total: 2, message: 'm', text: 't' }],
    [
      'that of MCP',
      'notifications/progress',
      { progressToken: 'c', progress: 1, total: 2, message: 'm', text: 't' },
    ],
    ['that of LSP, flat', '$/progress', { token: 'c', progress: 1, total: 2, message: 'm', text: 't' }],
    ['with our id', '$/progress', { id: 'c', progress: 1, total: 2, message: 'm', text: 't' }],
  ])('is read in each form: %s', (_what, method, params) => {
    expect(progressOf(method, params)).toEqual({
      id: 'c',
      told: { progress: 1, total: 2, message: 'm', text: 't' },
    });
  });

  it('is read with the percentage of LSP', () => {
    const value = { kind: 'report', percentage: 40, message: 'm' };
    expect(progressOf('$/progress', { token: 7, value })).toEqual({
      id: 7,
      told: { message: 'm', progress: 40, total: 100 },
    });
    expect(progressOf('$/progress', { token: 7, value: { kind: 'end' } })).toEqual({ id: 7, told: {} });
  });

  it('leaves out what is not what it should be', () => {
    expect(progressOf('progress', { id: 1, progress: '1', total: null, message: {}, text: 7 })).toEqual({
      id: 1,
      told: {},
    });
  });

  it('is none where it says something else', () => {
    expect(progressOf('event', { id: 1 })).toBeNull();
    expect(progressOf('progress', [1])).toBeNull();
    expect(progressOf('progress', undefined)).toBeNull();
  });
});
