import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonSchema } from '../core/json-schema.ts';
import { parseProtocol } from '../core/protocol.ts';
import { problemsOf, renderProblems } from '../files/problems.ts';
import { type LoadOptions, loadConfig } from './load.ts';
import type { Config } from './types.ts';

/** A folder that is gone after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const anything: JsonSchema = { type: 'object', additionalProperties: true };

export const library = new Map(
  ['web-search/v1', 'llm/v1', 'mcp/v1'].map((name) => [name, parseProtocol({ name, methods: { any: {} } })]),
);

export const provider_types: Readonly<Record<string, JsonSchema>> = {
  http: {
    type: 'object',
    required: ['url'],
    properties: {
      url: { type: 'string', format: 'uri' },
      timeout: { type: ['number', 'string'], 'x-unit': 'duration' },
      headers: { type: 'object', patternProperties: { '.*': { type: 'string' } } },
      cwd: { type: 'string', 'x-path': true },
      retries: { type: 'integer', default: 2 },
    },
  },
  ...Object.fromEntries(
    ['duckduckgo', 'bing', 'ollama', 'openai', 'mcp-server', 'mcp-http'].map((type) => [type, anything]),
  ),
};

export function load(text: string, more: Partial<LoadOptions> = {}): Promise<Config> {
  return loadConfig({
    text,
    file: '/etc/app/gleitzeit.yaml',
    env: {},
    cwd: '/etc/app',
    library,
    provider_types,
    ...more,
  });
}

/** What is wrong with a text, as people are shown it; without the lines and carets. */
export async function mistakes(text: string, more: Partial<LoadOptions> = {}): Promise<string[]> {
  return (await rendered(text, more)).split('\n').filter((line) => !/^\s/.test(line));
}

export async function rendered(text: string, more: Partial<LoadOptions> = {}): Promise<string> {
  try {
    await load(text, more);
    return 'nothing is wrong';
  } catch (thrown) {
    const problems = problemsOf(thrown);
    if (problems.length === 0) throw thrown;
    return renderProblems(problems);
  }
}
