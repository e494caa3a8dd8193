import { describe, expect, it } from 'vitest';
import { problemsOf } from '../problems.ts';
import { readWorkflow } from './read.ts';
import { protocols } from './testing.suite.ts';

const options = { file: 'agents.yaml', protocols, list: () => ['a.txt'] };
const read = (text: string, given: object = {}) =>
  readWorkflow(text, { ...options, ...given }).workflow['tasks'];

function mistakes(text: string, given: object = {}): readonly string[] {
  try {
    read(text, given);
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map(
      ({ line, column, path, message, hint }) => `${line}:${column} ${path}: ${message} (${hint})`,
    );
  }
}

describe('a task for an agent, in a file', () => {
  it('is read with its input, as text or by names, and its references', () => {
    const tasks = read(`tasks:
  - id: say
    agent: Translator
    input: Hello \${workflow.input.name}
  - {id: short, agent: My Agent, input: {query: "\${say.text}", n: 1}}
  - {id: none, agent: My Agent, timeout: 5s}
  - {id: old, agent: My Agent, parameters: {a: 1}}
`);
    expect(tasks).toEqual([
      { id: 'say', agent: 'Translator', params: { text: 'Hello ${workflow.input.name}' } },
      { id: 'short', agent: 'My Agent', params: { query: '${say.result.text}', n: 1 } },
      { id: 'none', agent: 'My Agent', timeout: '5s' },
      { id: 'old', agent: 'My Agent', params: { a: 1 } },
    ]);
  });

  it('may be the template of a batch', () => {
    const batch = `type: batch
batch: {directory: texts}
template: {agent: Reader, input: "Read \${file.path}"}
`;
    expect(read(batch)).toEqual([
      {
        id: 'process-a-txt',
        name: 'Process a.txt',
        agent: 'Reader',
        params: { text: 'Read texts/a.txt' },
      },
    ]);
  });

  it.each([
    ['agent: ""', 'tasks[0].agent: '],
    ['agent: 5', 'tasks[0].agent: '],
    ['agent: A, protocol: llm/v1', 'tasks[0].protocol: stands beside agent'],
    ['agent: A, method: chat', 'tasks[0].method: stands beside agent'],
    ['agent: A, function: f', 'tasks[0].function: stands beside agent'],
    ['agent: A, args: {}', 'tasks[0].args: unknown key'],
    ['agent: A, input: {}, params: {}', 'tasks[0].input: stands beside params'],
    ['agent: A, input: 5', 'tasks[0].input: '],
    ['agent: A, input: "${b.result}"', 'tasks[0].input'],
    ['protocol: llm/v1, method: chat, input: {}', 'tasks[0].input: is for tasks that name an agent'],
    ['protocol: agent/v1, method: send', 'tasks[0].agent: is missing'],
    ['method: llm/chat, agent: A', 'tasks[0].method: stands beside agent'],
  ])('is refused once where it says %s', (said, expected) => {
    const found = mistakes(`tasks:\n  - {id: a, ${said}}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`2:`);
    expect(found[0]).toContain(expected);
  });

  it('is held against the agents that are known, where they are', () => {
    const text = 'tasks:\n  - {id: a, agent: Translater, input: Hi}\n';
    const known = { protocols: { ...protocols, agents: () => ['Translator', 'Reader'] } };
    expect(mistakes(text, known)).toEqual([
      '2:20 tasks[0].agent: no agent is called "Translater" (did you mean "Translator"?)',
    ]);
    expect(mistakes(text.replace('Translater', 'Reader'), known)).toEqual([]);
    expect(mistakes(text)).toEqual([]);
    expect(mistakes(text, { protocols: undefined })).toEqual([]);
  });
});
