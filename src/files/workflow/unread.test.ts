import { describe, expect, it } from 'vitest';
import { headline, problemsOf } from '../problems.ts';
import { readWorkflow } from './read.ts';
import { protocols } from './testing.suite.ts';

function told(lines: readonly string[]): string[] {
  try {
    readWorkflow(lines.join('\n'), { file: 'f', protocols });
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map((problem) => headline(problem).replace('f:', ''));
  }
}

const search = ['  - id: search', '    protocol: web-search/v1', '    method: search'];

describe('a value that is no JSON', () => {
  it('is told among all other mistakes of the file, each once and in order of place', () => {
    const lines = [
      'name: x',
      'verson: 1',
      'tasks:',
      ...search,
      '    timeout: .inf',
      '    params: {query: !x q, limit: "many"}',
      '    params: {}',
      '  - id: write',
      '    protocol: llm/v1',
      '    method: genrate',
      '    dependencies: [serach]',
    ];
    expect(told(lines)).toEqual([
      '2:1  verson: unknown key "verson"',
      '7:14  tasks[0].timeout: is no finite number',
      '8:21  tasks[0].params.query: is a tag, which is not read here',
      expect.stringMatching(/^8:34 {2}tasks\[0\]\.params\.limit: must be /),
      '9:5  tasks[0]: the key "params" stands twice',
      expect.stringMatching(/^12:13 {2}tasks\[1\]\.method: /),
      '13:20  tasks[1].dependencies[0]: there is no task "serach" in this workflow',
    ]);
  });

  it('is not said to be missing as well', () => {
    expect(told(['tasks:', '  - id: .nan', '    protocol: llm/v1', '    method: chat'])).toEqual([
      '2:9  tasks[0].id: is no finite number',
    ]);
  });

  it('does not make what hangs on it wrong', () => {
    const base = 'base: &base {protocol: llm/v1, method: chat}';
    expect(told([base, 'tasks:', '  - id: a', '    <<: *base'])).toEqual([
      '1:1  base: unknown key "base"',
      '4:5  tasks[0]: merge keys (<<) are not read here',
    ]);
    const twice = ['tasks:', ...search, '    params: {query: a}', 'name: x'];
    const more = ['tasks:', '  - id: b', '    protocol: llm/v1', '    method: chat'];
    const reads = ['    needs: [b]'];
    expect(told([...twice.slice(0, 5), ...reads, 'name: x', ...more])).toEqual([
      '8:1  the key "tasks" stands twice',
    ]);
  });
});

describe('params under a misspelt key', () => {
  it('are told once, and not missed as well', () => {
    expect(told(['tasks:', ...search, '    parms: {query: a}'])).toEqual([
      '5:5  tasks[0].parms: unknown key "parms"',
    ]);
    expect(told(['tasks:', ...search])).toEqual([expect.stringMatching(/params/)]);
  });
});
