import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { problemsOf } from '../problems.ts';
import { protocolsOf } from './known.ts';
import { folderLister, folderReader } from './list-folder.ts';
import { readWorkflow } from './read.ts';

const text = { type: 'string', required: true };
const protocols = protocolsOf([
  parseProtocol({
    name: 'llm/v1',
    methods: {
      generate: { params: { prompt: text, model: { type: 'string' } } },
      chat: { params: { messages: { type: 'array', required: true } } },
    },
  }),
]);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-batch-'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'a.txt'), 'Costs ${a} lot');
  writeFileSync(join(folder, 'docs', 'b.bin'), Buffer.from([0xff, 0xfe, 0x00]));
  writeFileSync(join(folder, 'docs', 'c.big'), 'x'.repeat(2 ** 20 + 1));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function tasks(template: string, pattern = '*.txt', known: object = { protocols }): JsonObject[] {
  const content = `type: batch\nbatch: {directory: docs, pattern: "${pattern}"}\ntemplate: ${template}\n`;
  const options = { file: 'f.yaml', list: folderLister(folder), read: folderReader(folder), ...known };
  return readWorkflow(content, options).workflow['tasks'] as unknown as JsonObject[];
}

describe('a batch that asks a language model about files', () => {
  it.each([
    ['{method: llm/generate, prompt: Sum up, model: m}', { prompt: 'Sum up\n\nCosts $${a} lot', model: 'm' }],
    [
      '{method: llm/chat, params: {messages: [{role: system, content: s}, {role: user, content: "Read ${workflow.input.x}"}]}}',
      {
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'Read ${workflow.input.x}\n\nCosts $${a} lot' },
        ],
      },
    ],
    [
      '{method: llm/chat, messages: [{role: user, content: [{type: text, text: Read}]}]}',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Read' },
              { type: 'text', text: 'Costs $${a} lot' },
            ],
          },
        ],
      },
    ],
    ['{method: llm/chat, messages: []}', { messages: [{ role: 'user', content: 'Costs $${a} lot' }] }],
    ['{method: llm/generate, prompt: "of ${file.name}"}', { prompt: 'of a.txt' }],
  ])('shows the model what stands in them: %s', (template, params) => {
    expect(tasks(template)[0]?.['params']).toEqual(params);
  });

  it('names the file where nothing is known of the protocol', () => {
    const [task] = tasks('{method: llm/generate, prompt: p}', '*.txt', { protocols: undefined });
    expect(task?.['params']).toEqual({ prompt: 'p', file_path: 'docs/a.txt' });
  });

  it.each([
    ['*.bin', 'docs/b.bin cannot be shown to the model: it is no text in UTF-8'],
    ['*.big', 'docs/c.big cannot be shown to the model: it is larger than 1 MiB'],
  ])('says what cannot be shown: %s', (pattern, expected) => {
    try {
      tasks('{method: llm/generate, prompt: p}', pattern);
      expect.unreachable();
    } catch (thrown) {
      expect(problemsOf(thrown).map(({ message }) => message)).toEqual([expected]);
    }
  });
});
