import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventSchema } from '../../api/published.ts';
import { configFileSchema } from '../../config/published.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { problemsOf } from '../problems.ts';
import { goodWorkflow } from './damage.suite.ts';
import { workflowFileSchema } from './published.ts';
import { readWorkflow } from './read.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
formats.default(ajv);
const fits = ajv.compile(workflowFileSchema);
const fitsConfig = ajv.compile(configFileSchema);

/** What no schema can say: what depends on other places of the file, or on folders. */
const beyondSchemas =
  /there is no task|stands twice|wait for each other|depends on itself|reference|never closed|no file/;

/** Everything the reader has against a file, as far as a schema could say it. */
function findings(value: JsonObject): readonly string[] {
  try {
    readWorkflow(JSON.stringify(value), { file: 'f.json', list: () => ['a.txt'] });
    return [];
  } catch (thrown) {
    const told = problemsOf(thrown).map(({ path, message }) => `${path} ${message}`);
    return told.filter((line) => !beyondSchemas.test(line));
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === 'node_modules') return [];
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

const examples = filesBelow(join(root, 'examples')).filter((file) => /\.(?:ya?ml|json)$/.test(file));
const read = (file: string) => parse(readFileSync(file, 'utf8')) as Json;
const isWorkflow = (value: Json) => isObject(value) && ('tasks' in value || 'template' in value);
const isConfig = (value: Json) => isObject(value) && 'protocols' in value;

describe('the schemas that are shipped', () => {
  it.each([
    ['workflow', workflowFileSchema],
    ['config', configFileSchema],
    ['event', eventSchema],
  ])('schemas/%s.json is what the program says; `node scripts/schemas.ts` writes it', (name, schema) => {
    const text = readFileSync(join(root, 'schemas', `${name}.json`), 'utf8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(schema)));
    expect(text).not.toMatch(/unevaluated|"x-|"~/);
  });

  it('fit every example', () => {
    const workflows = examples.filter((file) => isWorkflow(read(file)));
    const configs = examples.filter((file) => isConfig(read(file)));
    expect(workflows.length).toBeGreaterThan(0);
    expect(configs.length).toBeGreaterThan(0);
    for (const file of workflows)
      expect(fits(read(file)), `${file} ${ajv.errorsText(fits.errors)}`).toBe(true);
    for (const file of configs)
      expect(fitsConfig(read(file)), `${file} ${ajv.errorsText(fitsConfig.errors)}`).toBe(true);
  });
});

const oddities: readonly Json[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    2,
    -1,
    1.5,
    '',
    ' ',
    'x',
    '30s',
    '1h30m',
    '1m1h',
    'PT30S',
    'P',
    'high',
    'batch',
    'secrets',
    '/v1',
    '../a',
    'a//b',
  ],
  ...[
    [],
    ['a'],
    [1],
    [null],
    {},
    { a: 1 },
    { max_attempts: 2 },
    { max_attempts: 'x' },
    { jitter: true },
    { base_delay: 1 },
    { base_delay: 1, initial_delay: 2 },
    { backoff: 'fixed', backoff_strategy: 'linear' },
    { retry_on: null },
  ],
];
const keys = [
  'agent',
  'input',
  'id',
  'name',
  'tasks',
  'params',
  'parameters',
  'retry',
  'priority',
  'timeout',
  'version',
  'needs',
  'type',
  'x',
];

/** Puts something odd, or nothing, at some place. */
function disturb(value: Json, steps: readonly number[], put: Json | undefined, key: string): Json {
  if (typeof value !== 'object' || value === null || steps.length === 0) return put ?? value;
  const [first = 0, ...rest] = steps;
  if (Array.isArray(value)) {
    const at = first % (value.length + 1);
    if (at === value.length) return put === undefined ? value : [...value, put];
    return value.map((item: Json, i) => (i === at ? disturb(item, rest, put, key) : item));
  }
  const entries = Object.entries(value as JsonObject);
  const at = first % (entries.length + 1);
  if (at === entries.length) return { ...(value as JsonObject), [key]: put ?? null };
  if (rest.length === 0 && put === undefined) return Object.fromEntries(entries.filter((_, i) => i !== at));
  return Object.fromEntries(
    entries.map(([name, inner], i) => [name, i === at ? disturb(inner, rest, put, key) : inner]),
  );
}

describe('the schema and the reader', { timeout: 60_000 }, () => {
  const forAgent: fc.Arbitrary<JsonObject> = fc.constant({
    tasks: [{ id: 'a', agent: 'A', input: { a: 1 }, timeout: '1m' }],
  });

  const batch: fc.Arbitrary<JsonObject> = fc.constant({
    type: 'batch',
    batch: { directory: 'd', pattern: '*' },
    template: { method: 'llm/chat', params: { a: 1 }, retry_config: { max_delay: '1m' } },
  });

  const one = (more: JsonObject) => ({ tasks: [{ id: 'a', protocol: 'p/v1', method: 'm', ...more }] });
  it.each<[string, JsonObject]>([
    ['a reserved id', one({ id: 'secrets' })],
    ['an older key beside its successor', one({ params: {}, parameters: {} })],
    ['the same in what is tried again', one({ retry_config: { base_delay: 1, initial_delay: 1 } })],
    ['a name of spaces', one({ name: ' ' })],
    ['a task without id and name', { tasks: [{ protocol: 'p/v1', method: 'm' }] }],
    ['no time at all', one({ timeout: '0s' })],
    ['an agent beside a protocol', one({ agent: 'A' })],
    ['an input without an agent', one({ input: 'Hi' })],
    ['an input beside params', { tasks: [{ id: 'a', agent: 'A', input: 'Hi', params: {} }] }],
    [
      'a pattern that leads out',
      { batch: { directory: 'd', pattern: 'a/../b' }, template: { method: 'p/m' } },
    ],
  ])('both refuse %s', (_, value) => {
    expect(fits(value)).toBe(false);
    expect(() => readWorkflow(JSON.stringify(value), { file: 'f.json' })).toThrow();
  });

  it('agree on what a file may look like', () => {
    fc.assert(
      fc.property(
        fc.oneof(goodWorkflow as fc.Arbitrary<JsonObject>, batch, forAgent),
        fc.array(fc.nat({ max: 20 }), { maxLength: 4 }),
        fc.option(fc.constantFrom(...oddities), { nil: undefined }),
        fc.constantFrom(...keys),
        (good, steps, put, key) => {
          const value = disturb(good, steps, put, key);
          if (!isObject(value)) return;
          const found = findings(value);
          expect(
            fits(value),
            `${JSON.stringify(value)} ${JSON.stringify(found)} ${ajv.errorsText(fits.errors)}`,
          ).toBe(found.length === 0);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
