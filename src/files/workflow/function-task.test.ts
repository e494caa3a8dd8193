import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { createProtocols } from '../../registry/protocols.ts';
import { problemsOf } from '../problems.ts';
import type { KnownProtocols } from './known.ts';
import { readWorkflow } from './read.ts';
import { definitions } from './testing.suite.ts';

const mcp = parseProtocol({
  name: 'mcp/v1',
  methods: {
    'tools/call': { params: { name: { type: 'string', required: true }, arguments: { type: 'object' } } },
  },
});
const registered = createProtocols();
for (const definition of [...definitions, mcp]) registered.register(definition);

const protocols: KnownProtocols = {
  get: (name) => registered.get(name),
  names: () => registered.list().map(({ name }) => name),
  checkParams: (call) => void registered.checkParams({ ...call, stage: 'template' }),
  functions: {
    web_search: {
      protocol: 'web-search/v1',
      method: 'search',
      params: { query: '${args.q}', limit: '${args.count}' },
    },
    generate_text: { protocol: 'llm/v1', method: 'generate' },
    key_search: { protocol: 'llm/v1', method: 'generate', params: { prompt: 'p', key: '${args.secret}' } },
  },
};

const options = { file: 'old.yaml', protocols, list: () => ['a.txt', 'b.txt'] };

function read(text: string) {
  const { workflow, notes } = readWorkflow(text, options);
  return {
    tasks: workflow['tasks'] as unknown as JsonObject[],
    notes: notes.map(({ path, message }) => `${path}: ${message}`),
  };
}

function mistakes(text: string, given: object = options) {
  try {
    readWorkflow(text, { ...options, ...given });
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map(
      ({ line, column, path, message, hint }) => `${line}:${column} ${path}: ${message} (${hint})`,
    );
  }
}

describe('a task that calls a function', () => {
  it('calls what the function is today, with a note', () => {
    const { tasks, notes } = read(`tasks:
  - {id: search, type: function, function: web_search, args: {q: cats, count: 3}}
  - id: sum
    function: generate_text
    arguments: {prompt: "about \${search.results}"}
    retry: {max_attempts: 2}
`);
    expect(tasks).toEqual([
      { id: 'search', protocol: 'web-search/v1', method: 'search', params: { query: 'cats', limit: 3 } },
      {
        id: 'sum',
        retry_config: { max_attempts: 2 },
        protocol: 'llm/v1',
        method: 'generate',
        params: { prompt: 'about ${search.result.results}' },
      },
    ]);
    expect(notes).toEqual([
      'tasks[0].function: calls a function in the older way: search of web-search/v1',
      'tasks[1].function: calls a function in the older way: generate of llm/v1',
      'tasks[1].arguments.prompt: reads the result of "search" in the older way',
      'tasks[1].retry: is an older word for retry_config',
    ]);
  });

  it('may name it among its arguments, as the third generation did', () => {
    const text = 'tasks: [{id: s, type: function, parameters: {function: web_search, q: cats}}]';
    expect(read(text).tasks).toEqual([
      { id: 's', protocol: 'web-search/v1', method: 'search', params: { query: 'cats' } },
    ]);
  });

  it('stands in the template of a batch', () => {
    const text = `type: batch
batch: {directory: docs}
template: {function: generate_text, args: {prompt: "read \${file.name}"}}
`;
    expect(read(text).tasks.map(({ params }) => params)).toEqual([
      { prompt: 'read a.txt' },
      { prompt: 'read b.txt' },
    ]);
  });

  it.each([
    [
      'tasks: [{id: a, function: web_serch}]',
      '1:27 tasks[0].function: no function is called "web_serch" (did you mean "web_search"?)',
    ],
    ['tasks: [{id: a, function: web_search, args: {q: [1]}}]', '1:49 tasks[0].args.q: must be string'],
    ['tasks: [{id: a, function: web_search}]', 'params.query is missing'],
    [
      'tasks: [{id: a, function: generate_text, args: {promt: x}}]',
      '1:49 tasks[0].args.promt: unknown key "promt"',
    ],
    [
      'tasks: [{id: a, function: web_search, method: search}]',
      '1:39 tasks[0].method: stands beside a function',
    ],
    ['tasks: [{id: a, function: web_search, args: {}, params: {}}]', 'stands beside args'],
    ['tasks: [{id: a, type: function}]', 'tasks[0].function: is missing'],
    [
      'tasks: [{id: a, protocol: llm/v1, method: generate, args: {prompt: x}}]',
      '1:53 tasks[0].args: unknown key "args" (did you mean "params"?)',
    ],
    ['tasks: [{id: a, type: thing, protocol: llm/v1, method: chat}]', '1:23 tasks[0].type: must be'],
    ['tasks: [{id: a, protocol: llm/v1}]', 'tasks[0].method: is missing'],
  ])('%s is refused', (text, expected) => {
    expect(mistakes(text).join('\n')).toContain(expected);
  });

  it('is told where functions are mapped when none is known', () => {
    const text = 'tasks: [{id: a, function: web_search}]';
    expect(mistakes(text, { protocols: undefined })).toEqual([
      expect.stringContaining('write under functions in the configuration'),
    ]);
  });

  it('keeps what becomes a secret param out of what is said of it', () => {
    const found = mistakes('tasks: [{id: a, function: key_search, args: {secret: "hush ${nobody.x}"}}]');
    expect(found.join()).not.toContain('nobody');
    expect(found).toHaveLength(1);
  });
});

describe('a tool that is written as a method', () => {
  it('is called by tools/call', () => {
    const { tasks, notes } = read(`tasks:
  - {id: add, method: mcp/tool.add, params: {a: 1, b: 2}}
  - {id: more, protocol: mcp/v1, method: tool.add, params: {a: "\${add.result.sum}"}}
  - {id: list, protocol: mcp/v1, method: mcp/tool.list}
`);
    expect(tasks.map(({ method, params }) => [method, params])).toEqual([
      ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }],
      ['tools/call', { name: 'add', arguments: { a: '${add.result.sum}' } }],
      ['tools/call', { name: 'list', arguments: {} }],
    ]);
    expect(notes).toHaveLength(3);
  });

  it('stays a method where the protocol has one of that name', () => {
    const own = parseProtocol({
      name: 'mcp/v1',
      methods: { 'tool.add': { params: { a: { type: 'integer' } } } },
    });
    const known = { get: () => own, names: () => ['mcp/v1'] };
    const text = 'tasks: [{id: a, method: mcp/tool.add, params: {a: 1}}]';
    expect(readWorkflow(text, { file: 'f', protocols: known }).workflow['tasks']).toEqual([
      { id: 'a', protocol: 'mcp/v1', method: 'tool.add', params: { a: 1 } },
    ]);
  });

  it('takes the file of a batch among its arguments', () => {
    const text = `type: batch
batch: {directory: docs}
template: {method: mcp/tool.read, params: {mode: fast}}
`;
    expect(read(text).tasks[0]?.['params']).toEqual({
      name: 'read',
      arguments: { mode: 'fast', file_path: 'docs/a.txt' },
    });
  });
});
