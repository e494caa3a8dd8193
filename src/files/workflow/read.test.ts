import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { problemsOf } from '../problems.ts';
import { placedError } from './place.ts';
import { type ReadWorkflowOptions, readWorkflow } from './read.ts';
import { protocols } from './testing.suite.ts';

function read(text: string, more: Partial<ReadWorkflowOptions> = {}) {
  return readWorkflow(text, { file: 'wf.yaml', protocols, ...more });
}

/** `line:column code path: message`, and the words it points at. */
function mistakes(text: string, more: Partial<ReadWorkflowOptions> = {}): string[] {
  try {
    read(text, more);
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map(({ line, column, code, path, message, excerpt }) => {
      const words = excerpt?.text.slice(column - 1, column - 1 + excerpt.length);
      return `${line}:${column} ${code} ${path}: ${message} [${words}]`;
    });
  }
}

function notes(text: string, more: Partial<ReadWorkflowOptions> = {}): string[] {
  return read(text, more).notes.map(
    ({ line, column, path, message, hint }) => `${line}:${column} ${path} ${message}; ${hint}`,
  );
}

const good = `name: research
tasks:
  - id: search
    protocol: web-search/v1
    method: search
    params:
      query: async
  - id: write
    protocol: llm/v1
    method: generate
    params:
      prompt: "First: \${search.result.results[0].title}"
      max_tokens: \${search.result.total}
`;

describe('a workflow file', () => {
  it('is read as what workflow.submit takes', () => {
    const { name, workflow, notes: said, wait_for_completion } = read(good);
    expect({ name, said, wait_for_completion }).toEqual({
      name: 'research',
      said: [],
      wait_for_completion: null,
    });
    expect(workflow).toEqual({
      name: 'research',
      tasks: [
        { id: 'search', protocol: 'web-search/v1', method: 'search', params: { query: 'async' } },
        {
          id: 'write',
          protocol: 'llm/v1',
          method: 'generate',
          params: {
            prompt: `First: \${search.result.results[0].title}`,
            max_tokens: `\${search.result.total}`,
          },
        },
      ],
    });
  });

  it('may be JSON, with a schema for editors', () => {
    const text = JSON.stringify({
      $schema: './workflow.json',
      name: 'x',
      tasks: [{ id: 'a', protocol: 'p/v1', method: 'm' }],
    });
    expect(readWorkflow(text, { file: 'x.json' }).workflow).toEqual({
      name: 'x',
      tasks: [{ id: 'a', protocol: 'p/v1', method: 'm' }],
    });
  });

  it.each([
    ['name: a\nworkflow_id: b', 'a'],
    ['workflow_id: b', 'b'],
    ['version: "2"', 'wf'],
  ])('has a name: %s', (head, name) => {
    const file = read(`${head}\ntasks: [{id: a, protocol: llm/v1, method: chat}]`);
    expect(file.name).toBe(name);
    expect(file.workflow['name']).toBe(name);
    expect(file.workflow).not.toHaveProperty('workflow_id');
  });

  it('leaves out what is for people', () => {
    const text = 'description: d\ntasks: [{id: a, protocol: llm/v1, method: chat, description: e, params: }]';
    expect(read(text).workflow).toEqual({
      name: 'wf',
      tasks: [{ id: 'a', protocol: 'llm/v1', method: 'chat' }],
    });
  });
});

describe('mistakes', () => {
  it('are shown at the exact words, all at once', () => {
    const text = `name: ten mistakes
versoin: "1"
tasks:
  - id: search
    protocol: web-serch/v1
    method: search
  - id: write
    protocol: llm/v1
    method: genrate
  - id: sum
    protocol: llm/v1
    method: generate
    timeout: 3 days
    priority: hihg
    params:
      promt: "about \${search.result.items}"
      max_tokens: many
    dependencies: [search, wirte]
  - id: sum
    protocol: web-search/v1
    method: search
    params:
      query: "\${sum.result.txt} and \${nobody.result.x}"
      limit: \${write.result.text}
`;
    expect(mistakes(text)).toEqual([
      '2:1 GLZ1002 versoin: unknown key "versoin" [versoin]',
      '5:15 GLZ1003 tasks[0].protocol: no protocol is called "web-serch/v1" [web-serch/v1]',
      '9:13 GLZ1004 tasks[1].method: protocol "llm/v1" has no method "genrate" [genrate]',
      '13:14 GLZ1001 tasks[2].timeout: must be a duration such as 30s of at least 1ms [3 days]',
      '14:15 GLZ1001 tasks[2].priority: must be one of urgent, high, normal, low [hihg]',
      '16:7 GLZ1005 tasks[2].params.promt: unknown key "promt" [promt]',
      '17:19 GLZ1005 tasks[2].params.max_tokens: must be a whole number from 1 to 4096 [many]',
      '18:28 GLZ1002 tasks[2].dependencies[1]: there is no task "wirte" in this workflow [wirte]',
      '19:9 GLZ1002 tasks[3].id: "sum" is already the id of tasks[2] [sum]',
      '23:17 GLZ1002 tasks[3].params.query: "sum" cannot wait for its own result [sum]',
      '23:39 GLZ1006 tasks[3].params.query: there is no task "nobody" in this workflow [nobody]',
    ]);
  });
});

describe('a text with a broken reference', () => {
  it('has its others looked at all the same', () => {
    const text = good.replace(
      'First: ${search.result.results[0].title}',
      '${nobody.result} ${search.result[} ${no.x} ${search.result.totl',
    );
    expect(mistakes(text)).toEqual([
      '12:18 GLZ1006 tasks[1].params.prompt: there is no task "nobody" in this workflow [nobody]',
      '12:49 GLZ1006 tasks[1].params.prompt: in brackets stands a whole number or a key in double quotes [}]',
      '12:53 GLZ1006 tasks[1].params.prompt: there is no task "no" in this workflow [no]',
      '12:59 GLZ1006 tasks[1].params.prompt: the reference is never closed with } [$]',
    ]);
  });
});

describe('older generations', () => {
  it('leave the jitter of today where they say that there is some', () => {
    const text = `tasks: [{id: a, protocol: llm/v1, method: chat, retry_config: {max_attempts: 2, jitter: true}, params: {messages: []}}]`;
    const [task] = read(text).workflow['tasks'] as unknown as { retry_config: object }[];
    expect(task?.retry_config).toEqual({ max_attempts: 2 });
    expect(read(text).notes.map(({ message, hint }) => `${message}: ${hint}`)).toEqual([
      'is an older way to say how much is left to chance: leave it out',
    ]);
  });

  it('are read as what they mean, with a note at each place', () => {
    const text = `name: Mixed
version: 1.10
timeout: 180
wait_for_completion: true
tasks:
  - name: "Echo Task"
    method: "llm/chat"
    priority: 3
    parameters:
      messages: []
  - name: second
    protocol: llm/v1
    method: llm/chat
    timeout: 5
    dependencies: ["Echo Task"]
    retry: {max_attempts: 2, base_delay: 1.5, jitter: false}
    params:
      messages: ["\${Echo Task.response} and \${Echo Task.result}"]
`;
    const file = read(text);
    expect(file.wait_for_completion).toBe(true);
    expect(file.workflow).toEqual({
      name: 'Mixed',
      version: '1.10',
      tasks: [
        {
          name: 'Echo Task',
          protocol: 'llm/v1',
          method: 'chat',
          priority: 'low',
          params: { messages: [] },
          timeout: 180,
        },
        {
          name: 'second',
          protocol: 'llm/v1',
          method: 'chat',
          timeout: 5,
          dependencies: ['Echo Task'],
          retry_config: { max_attempts: 2, initial_delay: 1.5, jitter: 0 },
          params: { messages: [`\${Echo Task.result.response} and \${Echo Task.result}`] },
        },
      ],
    });
    expect(notes(text).map((note) => note.replace(/;.*/, ''))).toEqual([
      '2:10 version is a number, read as text',
      '3:1 timeout is an older key, read as the timeout of every task that has none',
      '4:1 wait_for_completion is an older key, read as whether to wait for the end',
      '7:13 tasks[0].method names its protocol in the older way: llm/v1',
      '8:15 tasks[0].priority is an older way to say low',
      '9:5 tasks[0].parameters is an older word for params',
      '13:13 tasks[1].method repeats its protocol in the older way',
      '16:5 tasks[1].retry is an older word for retry_config',
      '16:30 tasks[1].retry.base_delay is an older word for initial_delay',
      '16:55 tasks[1].retry.jitter is an older way to say how much is left to chance',
      '18:21 tasks[1].params.messages[0] reads the result of "Echo Task" in the older way',
    ]);
  });
});

describe('a param that is secret', () => {
  it.each([
    ['of another type', 'key: 123456'],
    ['that looks like a broken reference', 'key: "sk-${123456"'],
    ['with a reference that leads nowhere', 'key: "sk-123456-${nobody.result}"'],
  ])('is shown nowhere: one %s', (_, line) => {
    const text = good.replace('max_tokens: ${search.result.total}', line);
    try {
      read(text);
      expect.unreachable();
    } catch (thrown) {
      expect(problemsOf(thrown)).toMatchObject([{ line: 13, found: null, excerpt: null }]);
      expect(JSON.stringify([String(thrown), problemsOf(thrown)])).not.toContain('123456');
    }
  });
});

describe('what a server refuses', () => {
  const older = `tasks:
  - name: one
    method: llm/chat
    parameters: {a: {b: [1, 2]}}
`;
  const refused = (field: string, code: 'GLZ1005' | 'GLZ1009' = 'GLZ1005') =>
    problemsOf(
      placedError(read(older), new GleitzeitError(code, 'x', { field, reason: 'is wrong', hint: 'mend it' })),
    );

  it.each([
    ['/workflow/tasks/0/params/a/b/1', '4:29 tasks[0].parameters.a.b[1]'],
    ['/workflow/tasks/0/method', '3:13 tasks[0].method'],
    ['/workflow/tasks/0/protocol', '3:13 tasks[0].method'],
    ['/tasks/0', '2:5 tasks[0]'],
  ])('is told at its place: %s', (field, place) => {
    const [problem] = refused(field);
    expect(`${problem?.line}:${problem?.column} ${problem?.path}`).toBe(place);
    expect(problem).toMatchObject({ code: 'GLZ1005', message: 'is wrong', hint: 'mend it' });
  });

  it('is left as it is where it is about something else', () => {
    for (const field of ['/input', 'idempotency_key', '', '/workflow/name'])
      expect(refused(field)).toEqual([]);
  });
});
