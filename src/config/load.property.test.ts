import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { configSchemas } from '../dialects/registry.ts';
import { problemsOf } from '../files/problems.ts';
import { loadConfig } from './load.ts';

const example = readFileSync(
  join(import.meta.dirname, '..', '..', 'examples', 'configuration', 'gleitzeit.yaml'),
  'utf8',
);

/** The example with a few of its characters replaced: the mistakes that people make, and others. */
const damaged = fc
  .array(
    fc.tuple(
      fc.nat(example.length),
      fc.nat(12),
      fc.constantFrom('', 'x', ' ', '\n', '"', '[', '}', '${', '1', ': ', '\t'),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((edits) =>
    edits.reduce((text, [at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut), example),
  );

const load = (text: string, env: Record<string, string> = {}) =>
  loadConfig({ text, file: 'gleitzeit.yaml', env, cwd: '/', provider_types: configSchemas() });

describe('a damaged configuration', { timeout: 60_000 }, () => {
  it('is read, or refused with an error of ours that says where', async () => {
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        const thrown = await load(text).then(
          () => null,
          (error: unknown) => error,
        );
        if (thrown === null) return;
        expect(thrown).toBeInstanceOf(GleitzeitError);
        const problems = problemsOf(thrown);
        expect(problems.length).toBeGreaterThan(0);
        const lines = text.split('\n');
        for (const { line, column, message } of problems) {
          expect(message).not.toBe('');
          expect(column - 1).toBeLessThanOrEqual(lines[line - 1]?.length ?? -1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is no trouble for any variables either', async () => {
    const name = fc.constantFrom(
      'GLEITZEIT_PROTOCOLS',
      'GLEITZEIT_SERVER_KEYS',
      'GLEITZEIT_STORE_URL',
      'GLEITZEIT_SECRETS',
      'GLEITZEIT_SERVER_PORT',
      'PORT',
    );
    const value = fc.oneof(fc.string(), fc.json());
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value), async (env) => {
        const thrown = await load(example, env).then(
          () => null,
          (error: unknown) => error,
        );
        if (thrown !== null) expect(problemsOf(thrown).length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });
});
