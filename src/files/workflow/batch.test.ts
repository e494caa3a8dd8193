import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { type Problem, problemsOf } from '../problems.ts';
import { folderLister } from './list-folder.ts';
import { readWorkflow } from './read.ts';
import { protocols } from './testing.suite.ts';

const list = () => ['b.txt', 'a.txt', 'c.md', 'x/d.txt'];

function tasks(text: string): JsonObject[] {
  return readWorkflow(text, { file: 'batch.yaml', list }).workflow['tasks'] as unknown as JsonObject[];
}

function problemsFound(text: string, options = {}): readonly Problem[] {
  try {
    readWorkflow(text, { file: 'batch.yaml', list, ...options });
    return [];
  } catch (thrown) {
    return problemsOf(thrown);
  }
}

function mistakes(text: string, options = {}): string[] {
  return problemsFound(text, options).map(
    ({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`,
  );
}

const batch = `type: batch
batch: {directory: docs/, pattern: "*.txt"}
`;

describe('a batch', () => {
  it('is one task for each file, by name', () => {
    const text = `${batch}template:
  protocol: llm/v1
  method: generate
  name: Summarize \${file.name}
  timeout: 5
  params:
    prompt: "\${file.path} is called \${file.stem}, $\${literally}"
`;
    expect(tasks(text)).toEqual([
      {
        id: 'process-a-txt',
        name: 'Summarize a.txt',
        protocol: 'llm/v1',
        method: 'generate',
        timeout: 5,
        params: { prompt: `docs/a.txt is called a, $\${literally}` },
      },
      {
        id: 'process-b-txt',
        name: 'Summarize b.txt',
        protocol: 'llm/v1',
        method: 'generate',
        timeout: 5,
        params: { prompt: `docs/b.txt is called b, $\${literally}` },
      },
    ]);
  });

  it('of the older kind holds its params itself, and gets the file as file_path', () => {
    const text = `${batch}template:
  method: llm/chat
  model: small
  messages: [{role: user, content: Summarize}]
`;
    const file = readWorkflow(text, { file: 'batch.yaml', list });
    expect((file.workflow['tasks'] as unknown as JsonObject[])[0]).toEqual({
      id: 'process-a-txt',
      name: 'Process a.txt',
      protocol: 'llm/v1',
      method: 'chat',
      params: { model: 'small', messages: [{ role: 'user', content: 'Summarize' }], file_path: 'docs/a.txt' },
    });
    expect(file.notes.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '4 names its protocol in the older way: llm/v1',
      '5 is a param in its older place',
    ]);
  });

  it('puts pictures that are looked at, and the files of Python, where they were', () => {
    const pictures = () => ['a.png'];
    const paramsOf = (text: string) => {
      const { workflow } = readWorkflow(text, { file: 'f', list: pictures });
      return (workflow['tasks'] as unknown as JsonObject[])[0]?.['params'];
    };
    expect(paramsOf('batch: {directory: d}\ntemplate: {method: llm/vision}')).toEqual({
      image_path: 'd/a.png',
    });
    expect(
      paramsOf(
        'batch: {directory: d}\nprotocol: python/v1\ntemplate: {method: python/execute, context: {x: 1}}',
      ),
    ).toEqual({
      context: { x: 1, file_path: 'd/a.png' },
    });
  });

  it('adds a file whose name looks like a reference as it is', () => {
    const text = 'batch: {directory: "."}\ntemplate: {protocol: p/v1, method: m}';
    const { workflow } = readWorkflow(text, { file: 'f', list: () => ['${x.result}.txt'] });
    expect((workflow['tasks'] as unknown as JsonObject[])[0]?.['params']).toEqual({
      file_path: '$${x.result}.txt',
    });
  });

  it('fills names that look like references in as they are', () => {
    const odd = () => ['${x.result}.txt', '{a$'];
    const text =
      'batch: {directory: ".", pattern: "**"}\ntemplate: {protocol: p/v1, method: m, params: {p: "$${file.name}{"}}';
    const { workflow } = readWorkflow(text.replace('"$${file', '"${file'), { file: 'f', list: odd });
    const params = (workflow['tasks'] as unknown as JsonObject[]).map((task) => task['params']);
    expect(params).toEqual([{ p: '$${x.result}.txt{' }, { p: '{a$${' }]);
  });

  it.each([
    [
      `${batch}template: {protocol: llm/v1, method: chat, params: {p: "\${file.size}"}}`,
      '3:59 template.params.p: is nothing that is known of a file',
    ],
    [
      `${batch}template: {protocol: llm/v1, method: chat, params: {p: "\${a.result}"}}`,
      '3:59 template.params.p: there is no task "a" in this workflow',
    ],
    [
      `${batch}template: {protocol: llm/v1, method: chat, params: {}, model: x}`,
      '3:56 template.model: unknown key "model"',
    ],
    [`${batch}template: {protocol: llm/v1}`, '3:1 template.method: is missing'],
    [`type: batch\nbatch: {}\ntemplate: {method: a/b}`, '2:1 batch.directory: is missing'],
    [`type: batch\ntemplate: {method: a/b}`, '1:1 batch: is missing'],
    [
      `batch: {directory: d, pattern: "../*"}\ntemplate: {method: a/b}`,
      '1:32 batch.pattern: must not lead out of the folder',
    ],
    [
      `batch: {directory: d, pattern: "*.pdf"}\ntemplate: {method: a/b}`,
      '1:32 batch.pattern: no file in d fits "*.pdf"',
    ],
    [`${batch}tasks: []\ntemplate: {method: a/b}`, '3:1 tasks: unknown key "tasks"'],
  ])('%s', (text, mistake) => {
    expect(mistakes(text)).toEqual([mistake]);
  });

  it.each([
    ['[ab]*', /only \*, \? and \*\* stand/],
    ['{a,b}*', /only \*, \? and \*\* stand/],
    ['*.pdf', null],
  ])('hints at what a pattern does not know: %s', (pattern, hint) => {
    const text = `batch: {directory: d, pattern: "${pattern}"}\ntemplate: {method: a/b}`;
    const [found] = problemsFound(text);
    expect(found?.message).toContain('no file in d fits');
    expect(found?.hint ?? null).toEqual(hint === null ? null : expect.stringMatching(hint));
  });

  it.each([
    ['id: x', /each task gets an id from the name of its file/],
    ['dependencies: [x]', /do not wait for each other/],
    ['needs: [x]', /do not wait for each other/],
    ['model: x', /stand under params/],
  ])('hints at what %s means in a template', (key, hint) => {
    const text = `${batch}template: {protocol: llm/v1, method: chat, params: {}, ${key}}`;
    expect(problemsFound(text)[0]?.hint).toMatch(hint);
  });

  it('is checked by its protocol once, whatever the number of files', () => {
    const text = `${batch}template: {protocol: llm/v1, method: generate, params: {promt: "\${file.path}"}}`;
    expect(mistakes(text, { protocols })).toEqual(['3:57 template.params.promt: unknown key "promt"']);
  });

  it('says so where its method has no place for the file', () => {
    const text = `${batch}template: {protocol: llm/v1, method: generate, params: {prompt: x}}`;
    expect(mistakes(text, { protocols })).toEqual([
      '3:48 template.params.file_path: the method takes no file_path',
    ]);
  });

  it('is refused where folders cannot be listed, or this one cannot', () => {
    const text = `${batch}template: {method: a/b}`;
    expect(mistakes(text, { list: undefined })).toEqual(['2:1 batch: folders cannot be listed here']);
    const fails = () => {
      throw Object.assign(new Error('x'), { code: 'ENOENT' });
    };
    expect(mistakes(text, { list: fails })).toEqual([
      '2:20 batch.directory: cannot be listed: there is no such folder',
    ]);
  });
});

describe('the files of a folder', () => {
  let base = '';
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'gleitzeit-batch-'));
    mkdirSync(join(base, 'docs/inner'), { recursive: true });
    for (const name of ['secret.txt', 'docs/a.txt', 'docs/inner/b.txt']) writeFileSync(join(base, name), 'x');
    symlinkSync(join(base, 'secret.txt'), join(base, 'docs/out.txt'));
    symlinkSync(join(base, 'docs/a.txt'), join(base, 'docs/in.txt'));
    symlinkSync(base, join(base, 'docs/up'));
    mkdirSync(join(base, 'docs2'));
    writeFileSync(join(base, 'docs2/b.txt'), 'x');
    symlinkSync(join(base, 'docs2/b.txt'), join(base, 'docs/sibling.txt'));
    symlinkSync(join(base, 'nowhere'), join(base, 'docs/broken'));
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it('are listed without what links lead out to', () => {
    const lister = folderLister(base);
    expect([...lister({ directory: 'docs', deep: false })].sort()).toEqual(['a.txt', 'in.txt']);
    expect([...lister({ directory: 'docs', deep: true })].sort()).toEqual(['a.txt', 'in.txt', 'inner/b.txt']);
  });

  it('are not looked for without an end', () => {
    expect(() => folderLister(base, 3)({ directory: 'docs', deep: true })).toThrow(
      'it holds more than 3 names',
    );
    expect(folderLister(base, 8)({ directory: 'docs', deep: true })).toHaveLength(3);
    expect(() => folderLister(base, 7)({ directory: 'docs', deep: true })).toThrow('more than 7 names');
  });

  it('are not those of a file or of nothing', () => {
    expect(() => folderLister(base)({ directory: 'secret.txt', deep: false })).toThrow('it is no folder');
    expect(() => folderLister(base)({ directory: 'gone', deep: false })).toThrow('ENOENT');
  });
});
