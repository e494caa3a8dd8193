import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrongText } from './wrong-text.ts';

const id = fc.oneof(fc.string(), fc.integer());
const answers = fc.record({ jsonrpc: fc.constant('2.0'), id, result: fc.jsonValue() });
const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('wrongText', () => {
  it('is no answer to what was asked', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const text = JSON.stringify(answer);
        expect(wrongText('empty', text)).toBe('');
        expect(isJson(wrongText('not_json', text))).toBe(false);
        expect(isJson(wrongText('truncated', text))).toBe(false);
        expect(JSON.parse(wrongText('other_id', text))).toEqual({
          ...JSON.parse(text),
          id: `not-${answer.id}`,
        });
        expect(JSON.parse(wrongText('server_error', text))).toMatchObject({
          id: answer.id,
          error: { code: -32603 },
        });
      }),
    );
  });

  it('is of another task where tasks are told apart by theirs', () => {
    const text = JSON.stringify({ task_id: 'a', status: 'success' });
    expect(JSON.parse(wrongText('other_id', text))).toEqual({ task_id: 'not-a', status: 'success' });
  });

  it('finds something wrong to say for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(JSON.parse(wrongText('other_id', text))).toHaveProperty('id');
        expect(JSON.parse(wrongText('server_error', text))).toHaveProperty('error');
      }),
    );
  });
});
