import { describe, expect, it } from 'vitest';
import { programOf } from './program.ts';

describe('the program of a server', () => {
  it('is a command, or the path behind stdio://', () => {
    expect(programOf({ command: ['npx', '-y', 'server'] })).toEqual(['npx', '-y', 'server']);
    expect(programOf({ url: 'stdio://path/to/mcp-server' })).toEqual(['path/to/mcp-server']);
    expect(programOf({ url: 'stdio:///opt/my%20server' })).toEqual(['/opt/my server']);
    expect(programOf({ url: 'stdio://100%/x' })).toEqual(['100%/x']);
  });

  it('is one of the two, not both and not neither', () => {
    expect(() => programOf({})).toThrow('/config/command: is missing');
    expect(() => programOf({ command: ['a'], url: 'stdio://a' })).toThrow('stands beside url');
  });
});
