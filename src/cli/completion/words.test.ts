import { describe, expect, it } from 'vitest';
import { groups } from '../specs/groups.ts';
import { specs } from '../specs.ts';
import { wantedAt } from './words.ts';

const at = (...words: string[]) => {
  const { candidates, lookup } = wantedAt({ words, specs, groups });
  return { values: candidates.map(({ value }) => value), lookup };
};

describe('completion', () => {
  it('offers commands and groups', () => {
    const { values } = at('');
    for (const name of ['list', 'status', 'queue', 'token']) expect(values).toContain(name);
    expect(values).not.toContain('__complete');
    expect(at('sta').values.sort()).toEqual(['start', 'status']);
    expect(at('queue', '').values).toEqual(['list', 'stats', 'pause', 'resume']);
  });

  it('offers options, those of the command and those of all', () => {
    expect(at('list', '--st').values).toEqual(['--status']);
    expect(at('list', '--').values).toContain('--server');
  });

  it('offers values of options', () => {
    expect(at('list', '-o', 'j').values).toEqual(['json', 'jsonl']);
    expect(at('--output', '').values).toContain('yaml');
    expect(at('token', 'create', '--role', '').values).toEqual(['viewer', 'operator', 'admin']);
    expect(at('list', '--config', '').lookup).toBe('file');
  });

  it('looks up what an argument names, past options and their values', () => {
    expect(at('status', '').lookup).toBe('any-id');
    expect(at('-o', 'json', 'status', '').lookup).toBe('any-id');
    expect(at('queue', 'pause', '').lookup).toBe('protocol');
    expect(at('completion', 'z').values).toEqual(['zsh']);
  });
});
