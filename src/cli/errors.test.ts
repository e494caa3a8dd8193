import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { parseYaml } from '../files/yaml.ts';
import { errorLine, errorText, exitOf } from './errors.ts';

describe('an error on the command line', () => {
  it('says what happened, why, and what to do', () => {
    const error = new GleitzeitError('GLZ3002', 'the store is in use', {
      reason: 'it was opened at noon',
      hint: 'stop that process',
    });
    expect(errorText(error)).toBe(
      'gleitzeit: the store is in use (GLZ3002)\n  it was opened at noon\n  stop that process\n',
    );
    expect(exitOf(error)).toBe('conflict');
  });

  it('says nothing twice', () => {
    const reason = 'must be a number';
    expect(errorText(new GleitzeitError('GLZ1012', `port: ${reason}`, { reason }))).toBe(
      `gleitzeit: port: ${reason} (GLZ1012)\n`,
    );
  });

  it('shows every mistake of a file with its place, and is a finding', () => {
    const read = () => parseYaml('a: [1', { file: 'x.yaml', code: 'GLZ1012', refused_keys: [] });
    try {
      read();
      expect.unreachable();
    } catch (thrown) {
      const error = GleitzeitError.from(thrown);
      expect(errorText(error)).toMatch(/^x\.yaml:1:\d+ /);
      expect(exitOf(error)).toBe('findings');
      expect(JSON.parse(errorLine(error)).error.problems).toHaveLength(1);
    }
  });

  it('is one line of JSON for programs, without what there is nothing to say about', () => {
    const error = new GleitzeitError('GLZ1010', 'there is no\nrun x', { hint: 'look' });
    expect(errorLine(error)).toBe(
      '{"error":{"code":"GLZ1010","message":"there is no\\nrun x","hint":"look"}}\n',
    );
  });

  it('obeys no escape sequence of the data it tells of', () => {
    const error = new GleitzeitError('GLZ1010', 'no \u001b[2Jrun \u009b31m');
    expect(errorText(error)).toBe('gleitzeit: no ␛[2Jrun \ufffd31m (GLZ1010)\n');
    expect(errorLine(error)).toContain('\\u001b[2Jrun \\u009b31m');
  });

  it.each([
    ['GLZ1010', 'not_found'],
    ['GLZ2003', 'timeout'],
    ['GLZ3001', 'unreachable'],
    ['GLZ4002', 'access'],
    ['GLZ9001', 'failure'],
  ] as const)('%s ends with %s', (code, exit) => {
    expect(exitOf(new GleitzeitError(code, 'x'))).toBe(exit);
  });
});
