import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../scripts/documents/blocks.ts';
import { pageAt } from '../../scripts/documents/pages.ts';
import { projectRoot } from '../../scripts/source/files.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { sendRequest } from '../../src/dialects/a2a/wire/requests.ts';
import { installOnDebian, isInstalled } from '../services/debian.ts';
import { type Answering, ask, echo, type Wishes } from './scene.ts';

const INPUT = { text: 'Write a haiku about bees' };

function exampleOn(path: string, name: string): JsonObject {
  const found = blocksOf(pageAt(path).text).filter(({ attributes }) => attributes['example'] === name);
  expect(found, name).toHaveLength(1);
  return JSON.parse(found[0]?.text ?? '') as JsonObject;
}

/** The example with the id of this task where the page says T. */
function named(example: JsonObject, id: Json): JsonObject {
  const text = JSON.stringify(example).replaceAll('"T"', JSON.stringify(id)).replaceAll('msg-T', `msg-${id}`);
  return JSON.parse(text) as JsonObject;
}

const page = 'docs/reference/agent-protocol.md';
const simple: Wishes = { dialect: 'simple-a2a' };

describe('docs/reference/agent-protocol.md', () => {
  it.each<[string, Wishes]>([
    ['simple-request', simple],
    ['request-0.3', {}],
    ['request-1.0', { config: { a2a_version: '1.0', card: 'none' } }],
  ])('shows the %s as it is sent', async (name, wishes) => {
    const { request, task_id } = await ask(INPUT, () => ({ status: 400 }), wishes);
    expect(request.body).toEqual(named(exampleOn(page, name), task_id));
  });

  it.each(['answer-0.3', 'answer-1.0'])('shows an %s that gives the output it shows', async (name) => {
    const answering: Answering = ({ body }) => ({ json: named(exampleOn(page, name), body['id'] ?? null) });
    expect(await ask(INPUT, answering)).toMatchObject({
      status: 'completed',
      result: exampleOn(page, 'output'),
    });
  });

  it.each(['0.3', '1.0'] as const)('shows in %s how a question is answered', (version) => {
    const message = {
      message_id: 'M',
      role: 'user',
      parts: [{ kind: 'text', text: 'Ada' }],
      task_id: 'agents-own-id',
      context_id: 'c-1',
    } as const;
    expect(sendRequest({ version }, { message })).toEqual(exampleOn(page, `reply-${version}`));
  });

  it('shows an answer of simple A2A with the same text', async () => {
    const answering: Answering = ({ body }) => ({
      json: named(exampleOn(page, 'simple-answer'), body['task_id'] ?? null),
    });
    const { result, lines } = await ask(INPUT, answering, simple);
    expect(result).toEqual({ text: exampleOn(page, 'output')['text'] });
    expect(lines.some(({ level }) => level === 'warn')).toBe(false);
  });
});

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  }
});

/** Runs the agent that a page shows, on a port that is free, which it is made to tell. */
async function startShown(part: string): Promise<string> {
  const blocks = blocksOf(pageAt('docs/how-to/migrate-to-jsonrpc.md').text);
  const code = blocks.find(({ attributes }) => attributes['part'] === part)?.text ?? '';
  const program = code
    .replace('9101', '0')
    .replace('server.serve_forever()', 'print(server.server_port, flush=True)\nserver.serve_forever()');
  const child = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${line.toString().trim()}/`;
}

describe('docs/how-to/migrate-to-jsonrpc.md', () => {
  beforeAll(async () => {
    if (!(await isInstalled('python3'))) await installOnDebian('python3', 'install Python 3');
  });

  it.each<[string, Wishes['dialect'] & string]>([
    ['before', 'simple-a2a'],
    ['after', 'simple-a2a'],
    ['after', 'a2a'],
  ])('shows an agent %s the move that speaks %s', async (part, dialect) => {
    const url = await startShown(part);
    const outcome = await ask({ text: 'hello' }, echo, { dialect, config: { url } });
    expect(outcome).toMatchObject({ status: 'completed', result: { text: 'HELLO' } });
  });
});

/** How many criteria each requirement has. */
const criteria = [10, 10, 6, 7, 5, 6, 5, 7, 5, 5].flatMap((count, index) =>
  Array.from({ length: count }, (_, number) => `${index + 1}.${number + 1}`),
);

describe('docs/reference/acceptance.md', () => {
  const rows = [
    ...pageAt('docs/reference/acceptance.md').text.matchAll(/^\| (\d+\.\d+) \| (.+) \| (.+) \|$/gm),
  ].map(([, criterion = '', shown = '', where = '']) => ({ criterion, shown, where }));

  it('has every criterion, once and in order', () => {
    expect(rows.map(({ criterion }) => criterion)).toEqual(criteria);
  });

  it.each(rows.filter(({ criterion }) => Number.parseInt(criterion, 10) <= 7))(
    'names the test of $criterion, which is there under that name',
    ({ criterion, shown, where }) => {
      const [, file = ''] = /\]\(\.\.\/\.\.\/([^)]+)\)/.exec(where) ?? [];
      const text = readFileSync(join(projectRoot, file), 'utf8').replaceAll("\\'", "'");
      expect(text).toContain(`it('${criterion} ${shown}', async`);
    },
  );

  it.each(rows.filter(({ criterion }) => Number.parseInt(criterion, 10) > 7))(
    'names for $criterion files that are there',
    ({ where }) => {
      const files = [...where.matchAll(/\]\(([^)#]+)/g)].map(([, file = '']) => file);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files)
        expect(existsSync(join(projectRoot, 'docs/reference', file)), file).toBe(true);
    },
  );
});
