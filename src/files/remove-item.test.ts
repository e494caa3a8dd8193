import { describe, expect, it } from 'vitest';
import { removeItem } from './remove-item.ts';

const path = (index: number) => ['server', 'keys', index] as const;

const file = `# what this server is
server:
  port: 8000 # the usual one
  keys:
    # for the builds
    - { name: ci, role: operator, hash: aaa }   # since May
    - name: ann
      role: admin
      hash: bbb
    # the dashboard
    - { name: eye, role: viewer, hash: ccc }

# where it is kept
store: { type: sqlite }
`;

describe('an item taken out of a list', () => {
  it.each([
    [0, '    - { name: ci, role: operator, hash: aaa }   # since May\n'],
    [1, '    - name: ann\n      role: admin\n      hash: bbb\n'],
    [2, '    - { name: eye, role: viewer, hash: ccc }\n'],
  ])('%i leaves everything else as it stands', (index, gone) => {
    expect(file).toContain(gone);
    expect(removeItem(file, path(index))).toBe(file.replace(gone, ''));
  });

  it.each([
    [
      'the only one',
      '# head\nserver:\n  keys: # who may\n    - { name: ci, hash: a }\n  port:   1 # kept\n',
      '# head\nserver:\n  keys: [] # who may\n  port:   1 # kept\n',
    ],
    [
      'one with an anchor and odd spaces around it',
      'server:\n  keys:\n  -   &x   { name: ci }\n  - name:   \'b\'\nport:  "1"\n',
      'server:\n  keys:\n  - name:   \'b\'\nport:  "1"\n',
    ],
    [
      'one in a file with breaks of Windows',
      'server:\r\n  keys:\r\n    - name: a\r\n    - name: b\r\nx:   1\r\n',
      'server:\r\n  keys:\r\n    - name: b\r\nx:   1\r\n',
    ],
    [
      'one on a line of its own in brackets',
      'server:\n  keys: [\n    { name: a }, # one\n    { name: b }, # two\n  ]\nport:   1\n',
      'server:\n  keys: [\n    { name: b }, # two\n  ]\nport:   1\n',
    ],
    [
      'the only one in brackets',
      'server: { keys: [ { name: a }, ],   port: 1 } # note\n',
      'server: { keys: [],   port: 1 } # note\n',
    ],
  ])('%s leaves every other line byte for byte', (_, text, left) => {
    expect(removeItem(text, path(0))).toBe(left);
  });

  it('of JSON, or in brackets, leaves the rest as it is written', () => {
    const json = '{"server":  {"keys": [{"name":"a"}, {"name":"b"}]}}';
    expect(removeItem(json, path(0))).toBe('{"server":  {"keys": [{"name":"b"}]}}');
    const lines = '{"server": {"keys": [\n  {"name": "a"},\n  {"name":  "b"}\n]}}\n';
    expect(removeItem(lines, path(0))).toBe('{"server": {"keys": [\n  {"name":  "b"}\n]}}\n');
    expect(removeItem(lines, path(1))).toBe('{"server": {"keys": [\n  {"name": "a"}\n]}}\n');
    const flow = 'server: { keys: [ { name: a }, { name: b } ] } # note\n';
    expect(removeItem(flow, path(1))).toBe('server: { keys: [ { name: a } ] } # note\n');
  });

  it('that is not there is refused', () => {
    expect(() => removeItem(file, path(3))).toThrow('cannot be taken out');
  });
});
