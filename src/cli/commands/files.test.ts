import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadServerConfig } from '../../main/load.ts';
import { outputs } from '../outputs.ts';
import { runProgram } from '../run-program.ts';
import { fileSpecs } from '../specs/files.ts';

let folder = '';

const config = `protocols:
  - name: web-search/v1
    methods:
      search:
        params: {query: {type: string, required: true, pattern: "^[a-z]+$"}}
        returns: {results: {type: array}, total: {type: integer}}
    providers:
      - {id: searcher, type: jsonrpc-http, config: {url: "\${NOT_SET}"}}
`;

const good = `name: Good
tasks:
  - {id: a, protocol: web-search/v1, method: search, params: {query: bees}}
  - {id: b, protocol: web-search/v1, method: search, params: {query: wasps}, needs: [a]}
`;

const files = {
  'gleitzeit.yaml': config,
  'good.yaml': good,
  'older.yaml': good.replace('needs: [a]', 'priority: 1'),
  'bad.yaml': good.replace('query: bees', 'qurey: bees').replace('needs: [a]', 'needs: [c]'),
  'wrong.yaml': `name: Wrong\ntasks:\n${'  - {id: a}\n'.repeat(101)}`,
  'pattern.yaml': good.replace('bees', 'BEES'),
  'input.yaml': good.replace('bees', '"${workflow.input.topic}"'),
  'functions/gleitzeit.yaml': `functions: {find: {protocol: web-search/v1, method: search}}\n${config}`,
  'functions/old.yaml': 'tasks: [{id: a, function: find, args: {query: bees}}]\n',
  'broken/gleitzeit.yaml': 'protocols: [{name: x/v1, methods: {m: {parms: {}}}}]\n',
  'broken/good.yaml': good,
  'slip/gleitzeit.yaml': config.replace('{type: integer}', '{type: intger}'),
  'slip/good.yaml': good,
  'star/gleitzeit.yaml': config.replace(/returns: .*/, 'returns: {type: object, "*": true}'),
  'star/good.yaml': good,
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-files-'));
  for (const name of ['broken', 'functions', 'slip', 'star']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function call(...argv: string[]) {
  const out = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      out[name] += text;
    },
  });
  const status = await runProgram({
    argv,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    stdin_tty: false,
    env: {},
    cwd: folder,
    now: () => 0,
    version: '0.0.0',
    specs: fileSpecs,
  });
  return { ...out, status };
}

async function json(name: keyof typeof outputs, ...argv: string[]) {
  const { stdout, status } = await call(...argv, '-o', 'json');
  const data = JSON.parse(stdout);
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validate(JSON.parse(JSON.stringify(outputs[name])), data), ajv.errorsText()).toBe(true);
  return { data, status };
}

describe('validate', () => {
  it('says that a good file is one', async () => {
    expect(await call('validate', 'good.yaml')).toEqual({
      stdout: 'good.yaml: valid, 2 tasks\n',
      stderr: '',
      status: 0,
    });
  });

  it('shows each mistake with its line and a caret', async () => {
    const { stdout, status } = await call('validate', 'bad.yaml', 'good.yaml');
    expect(status).toBe(7);
    expect(stdout).toBe(`bad.yaml:3:63  error  GLZ1005  tasks[0].params.qurey: unknown key "qurey"
     3 |   - {id: a, protocol: web-search/v1, method: search, params: {qurey: bees}}
       |                                                               ^^^^^  hint: did you mean "query"?
bad.yaml:4:86  error  GLZ1002  tasks[1].needs[0]: there is no task "c" in this workflow
     4 |   - {id: b, protocol: web-search/v1, method: search, params: {query: wasps}, needs: [c]}
       |                                                                                      ^  hint: tasks: a, b
bad.yaml: not valid, 2 errors
good.yaml: valid, 2 tasks
`);
  });

  it('prints data that fits its schema', async () => {
    const { data, status } = await json('validate', 'validate', 'bad.yaml');
    expect(status).toBe(7);
    expect(data.files[0].problems[0]).toEqual({
      severity: 'error',
      code: 'GLZ1005',
      path: 'tasks[0].params.qurey',
      line: 3,
      column: 63,
      length: 5,
      message: 'unknown key "qurey"',
      found: '"qurey"',
      expected: 'one of query',
      hint: 'did you mean "query"?',
    });
  });

  it('says when it stopped looking', async () => {
    expect((await json('validate', 'validate', 'bad.yaml')).data.files[0].truncated).toBe(false);
    const { data } = await json('validate', 'validate', 'wrong.yaml');
    expect([data.files[0].problems.length, data.files[0].truncated]).toEqual([100, true]);
    expect((await call('validate', 'wrong.yaml')).stdout).toContain(
      'wrong.yaml: not valid, 100 errors, and there may be more\n',
    );
  });

  it('takes notes for mistakes when it is told to', async () => {
    expect((await call('validate', 'older.yaml')).status).toBe(0);
    const { stdout, status } = await call('validate', 'older.yaml', '--strict');
    expect(status).toBe(7);
    expect(stdout).toContain('note  GLZ1001  tasks[1].priority: is an older way to say high');
  });

  it('judges params as the engine will', async () => {
    const { stdout, status } = await call('validate', 'pattern.yaml');
    expect(status).toBe(7);
    expect(stdout).toMatch(
      /^pattern\.yaml:3:70 {2}error {2}GLZ1005 {2}tasks\[0\]\.params\.query: must match pattern/,
    );
  });

  it('tells of a configuration that cannot be read as well', async () => {
    const { stdout, status } = await call('validate', 'broken/good.yaml');
    expect(status).toBe(7);
    expect(stdout).toContain('broken/gleitzeit.yaml:1:40  error  GLZ1012');
  });

  it.each(['slip', 'star'])(
    'blames a configuration, not the workflow, for its own mistakes: %s',
    async (name) => {
      const { stdout, status } = await call('validate', `${name}/good.yaml`);
      expect(status).toBe(7);
      expect(stdout).toMatch(new RegExp(`^${name}/gleitzeit\\.yaml:6:\\d+  error  GLZ1`));
      expect(stdout).toMatch(new RegExp(`^${name}/good\\.yaml: valid`, 'm'));
      const planned = await call('plan', `${name}/good.yaml`);
      expect(planned.status).toBe(7);
      expect(planned.stderr).toContain(`${name}/gleitzeit.yaml:6:`);
      const file = join(folder, name, 'gleitzeit.yaml');
      await expect(
        loadServerConfig({ file, env: { NOT_SET: 'http://a.example' }, cwd: folder, database_url: false }),
      ).rejects.toThrow(`${name}/gleitzeit.yaml:6:`);
    },
  );

  it('writes SARIF', async () => {
    const { stdout, status } = await call('validate', 'bad.yaml', '-o', 'sarif');
    expect(status).toBe(7);
    const log = JSON.parse(stdout);
    expect(log.version).toBe('2.1.0');
    expect(log.runs[0].results).toHaveLength(2);
    expect(log.runs[0].results[0]).toMatchObject({
      ruleId: 'GLZ1005',
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'bad.yaml' },
            region: { startLine: 3, startColumn: 63, endColumn: 68 },
          },
        },
      ],
    });
    expect(log.runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['GLZ1002', 'GLZ1005']);
  });

  it('goes on after a file that is not there, which is a problem of that file', async () => {
    const { stdout, status } = await call('validate', 'bad.yaml', 'gone.yaml', 'good.yaml');
    expect(status).toBe(7);
    expect(stdout).toContain('gone.yaml  error  GLZ1010  cannot be read: there is no such file\n');
    expect(stdout).toMatch(/^gone\.yaml: not valid, 1 error\ngood\.yaml: valid, 2 tasks\n$/m);
    const { data } = await json('validate', 'validate', 'gone.yaml', 'good.yaml');
    expect(data.files.map(({ valid }: { valid: boolean }) => valid)).toEqual([false, true]);
    expect((await call('validate', 'gone.yaml', 'good.yaml', '-o', 'sarif')).status).toBe(7);
  });

  it('prints a line for each file with jsonl', async () => {
    const { stdout } = await call('validate', 'good.yaml', 'bad.yaml', '-o', 'jsonl');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ file, valid }) => [file, valid])).toEqual([
      ['good.yaml', true],
      ['bad.yaml', false],
    ]);
  });

  it('says so where there is no such file', async () => {
    expect((await call('validate', 'gone.yaml')).status).toBe(6);
  });
});

describe('plan', () => {
  it('shows what would run', async () => {
    const { stdout, status } = await call('plan', 'input.yaml');
    expect(status).toBe(0);
    expect(stdout).toContain('Good  2 tasks, 2 steps deep, at most 1 at once');
    expect(stdout).toContain('  1  a  web-search/v1 search  searcher\n');
    expect(stdout).toContain('  a: ${workflow.input.topic}  no input\n');
  });

  it('prints data that fits its schema, with an input', async () => {
    const { data } = await json('plan', 'plan', 'input.yaml', '--input', 'topic=bees');
    expect(data.unresolved).toEqual([]);
  });

  it('ends like validate on a file with mistakes', async () => {
    expect((await call('plan', 'bad.yaml')).status).toBe(7);
  });
});

describe('graph', () => {
  it.each([
    ['text', 'Good  2 tasks'],
    ['mermaid', 'flowchart TD'],
    ['dot', 'digraph "Good"'],
    ['svg', '<svg '],
  ])('draws as %s', async (format, beginning) => {
    const { stdout, status } = await call('graph', 'good.yaml', '-o', format);
    expect(status).toBe(0);
    expect(stdout).toContain(beginning);
  });

  it('prints data that fits its schema', async () => {
    const { data } = await json('graph', 'graph', 'good.yaml');
    expect(data.edges).toEqual([{ from: 'a', to: 'b' }]);
  });

  it('knows functions of earlier generations, and so do validate and plan', async () => {
    expect((await call('graph', 'functions/old.yaml', '-o', 'text')).stdout).toContain('web-search/v1');
    expect((await call('validate', 'functions/old.yaml')).stdout).toContain('valid, 1 task, 1 note');
    expect((await call('plan', 'functions/old.yaml')).status).toBe(0);
  });
});

describe('schema', () => {
  it.each(['workflow', 'config', 'event', 'openrpc', 'output'])('prints that of %s', async (what) => {
    const { stdout, status } = await call('schema', what);
    expect(status).toBe(0);
    expect(Object.keys(JSON.parse(stdout)).length).toBeGreaterThan(0);
  });

  it('prints that of what one command prints', async () => {
    const { data } = await json('schema', 'schema', 'output', 'validate');
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const printed = JSON.parse((await call('validate', 'bad.yaml', '-o', 'json')).stdout);
    expect(ajv.validate(data, printed), ajv.errorsText()).toBe(true);
    expect(ajv.validate(data, { files: 1 })).toBe(false);
  });
});
