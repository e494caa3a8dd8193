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
    expect(at('token', 'create', '--role', '').values).toEqual(['viewer', 'operator', 'admin', 'bridge']);
    expect(at('list', '--config', '').lookup).toBe('file');
  });

  it('looks up what an argument names, past options and their values', () => {
    expect(at('status', '').lookup).toBe('any-id');
    expect(at('-o', 'json', 'status', '').lookup).toBe('any-id');
    expect(at('queue', 'pause', '').lookup).toBe('protocol');
    expect(at('completion', 'z').values).toEqual(['zsh']);
  });

  it('offers statuses, also after a comma', () => {
    expect(at('list', '--status', 'f').values).toEqual(['failed']);
    expect(at('list', '--status', 'failed,canc').values).toEqual(['failed,cancelled']);
    expect(at('list', '--status=failed,canc').values).toEqual(['--status=failed,cancelled']);
  });

  it('offers values of an option that is written with =, as each shell takes it apart', () => {
    expect(at('list', '--output=j').values).toEqual(['--output=json', '--output=jsonl']);
    expect(at('list', '--output', '=', 'j').values).toEqual(['json', 'jsonl']);
    expect(at('list', '--output', '=').values).toContain('yaml');
    expect(at('status', '--output=json', '').lookup).toBe('any-id');
    expect(at('list', '--config=').lookup).toBe('file');
  });

  it('looks up tasks of the run that is named', () => {
    const { lookup, given, written, before } = wantedAt({
      words: ['retry', 'r-1', '--from=su'],
      specs,
      groups,
    });
    expect([lookup, given.get('id'), written, before]).toEqual(['short-id', 'r-1', 'su', '--from=']);
    expect(at('retry', 'r-1', '--from', '').lookup).toBe('short-id');
  });
});
