import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModel } from '../../src/dialects/llm/testing/model.suite.ts';
import { published } from '../mcp/real.ts';
import { openPlace, type Place } from './place.ts';

/** Providers as people have them: an MCP server from npm, Python, something that speaks as Ollama does, and an old class. */
const oldClass = `class Search:
    def execute_task(self, task_type, parameters):
        page = {"title": parameters["query"].upper(), "url": "https://example.org"}
        return {"result": {"results": [page] * parameters["max_results"]}}
`;

let place: Place;
let model: Awaited<ReturnType<typeof startModel>>;
let url: string;
let end: () => Promise<unknown>;

beforeAll(async () => {
  model = await startModel('ollama');
  const provider = (type: string, config: object = {}) => [{ type, config }];
  place = openPlace({
    functions: {
      web_search: {
        protocol: 'web-search/v1',
        method: 'search',
        params: { query: '${args.q}', max_results: '${args.count}' },
      },
      ask: { protocol: 'llm/v1', method: 'generate' },
    },
    protocols: [
      {
        name: 'mcp/v1',
        providers: provider('mcp-server', { command: [process.execPath, published('server-everything')] }),
      },
      { name: 'llm/v1', providers: provider('ollama', { url: model.url, models: ['small'] }) },
      { name: 'python/v1', providers: provider('python') },
      {
        name: 'web-search/v1',
        providers: provider('v3', {
          path: ['old'],
          module: 'search',
          class: 'Search',
          functions: { search: 'web_search' },
        }),
      },
    ],
  });
  place.write('old/search.py', oldClass);
  mkdirSync(join(place.folder, 'documents'));
  for (const name of ['one', 'two'])
    writeFileSync(join(place.folder, 'documents', `${name}.txt`), `the text of ${name}`);
  const server = place.start('serve');
  await server.said(/"listening"/);
  url = /"url":"(http[^"]+)"/.exec(server.stderr())?.[1] ?? '';
  end = async () => {
    server.kill('SIGTERM');
    await server.ended;
  };
}, 60_000);

afterAll(async () => {
  await end();
  await place.close();
  await model.stop();
});

async function results(content: string): Promise<Record<string, unknown>> {
  place.write('old.yaml', content);
  const { status, stdout, stderr } = await place.run('run', 'old.yaml', '--server', url, '-o', 'json');
  expect(status, stderr).toBe(0);
  return (JSON.parse(stdout) as { results: Record<string, unknown> }).results;
}

describe('workflow files of earlier generations', { timeout: 60_000 }, () => {
  it('call tools, models and Python by their names, and know tasks by theirs', async () => {
    const found = await results(`name: old forms
version: 1.0
timeout: 30
wait_for_completion: true
tasks:
  - name: Echo Task
    method: mcp/tool.echo
    parameters: { message: hello }
    priority: 1
  - name: Ask
    protocol: llm/v1
    method: llm/chat
    parameters: { messages: [{ role: user, content: "\${Echo Task.result.content[0].text}" }] }
    dependencies: [Echo Task]
    retry: { max_attempts: 2, base_delay: 0.1, backoff_strategy: fixed, jitter: false }
  - name: count
    method: python/execute
    parameters:
      code: |
        print("counting")
        result = {"words": len(context["said"].split()), "echoed": context["echoed"]}
      context: { said: "\${Ask.text}", echoed: "\${Echo Task.result.content[0].text}" }
    dependencies: [Ask]
`);
    expect(found['Echo Task']).toMatchObject({ content: [{ type: 'text', text: 'Echo: hello' }] });
    expect(found['Ask']).toMatchObject({ text: 'You said: Echo: hello', model: 'small' });
    expect(found['count']).toEqual({ words: 4, echoed: 'Echo: hello' });
  });

  it('call functions, answered by a provider of the third generation', async () => {
    const found = await results(`name: functions
tasks:
  - { id: find, type: function, function: web_search, args: { q: cats, count: 2 } }
  - { id: ask, type: function, parameters: { function: ask, prompt: "about \${find.results[0].title}" } }
`);
    expect(found).toMatchObject({
      find: { results: [{ title: 'CATS' }, { title: 'CATS' }] },
      ask: { text: 'You said: about CATS' },
    });
  });

  it.each([
    [
      'a model is shown each file',
      'protocol: llm/v1',
      '{ method: llm/chat, model: small, messages: [{ role: user, content: Sum up }] }',
      (name: string) => ({ text: `You said: Sum up\n\nthe text of ${name}` }),
    ],
    [
      'Python is told where it is',
      'description: old',
      `{ method: python/execute, code: "result = open(context['file_path']).read()" }`,
      (name: string) => `the text of ${name}`,
    ],
    [
      'a function is given its name',
      'description: old',
      '{ function: web_search, args: { q: "${file.stem}", count: 1 } }',
      (name: string) => ({ results: [{ title: name.toUpperCase(), url: 'https://example.org' }] }),
    ],
  ])('make one task for each file of a folder: %s', async (_, head, template, expected) => {
    const found = await results(`type: batch
${head}
batch: { directory: documents, pattern: "*.txt" }
template: ${template}
`);
    expect(found['process-one-txt']).toEqual(
      typeof expected('one') === 'string' ? expected('one') : expect.objectContaining(expected('one')),
    );
    expect(Object.keys(found)).toEqual(['process-one-txt', 'process-two-txt']);
  });

  it('are told what is wrong with line and column, by the server that is named too', async () => {
    place.write('wrong.yaml', 'tasks: [{ id: a, function: web_serch, args: { q: x } }]\n');
    for (const more of [[], ['--server', url]]) {
      const { status, stdout } = await place.run('validate', 'wrong.yaml', ...more);
      expect(status).not.toBe(0);
      expect(stdout).toContain('1:28');
      expect(stdout).toContain('did you mean "web_search"?');
    }
  });
});
