import fc from 'fast-check';
import { stringify } from 'yaml';
import type { ErrorCode } from '../../core/error-codes.ts';
import type { Json } from '../../core/json.ts';

/** Stands in a damaged file where the mistake is expected, and is taken out before it is read. */
export const HERE = '\uE000';
/** In front of a text that stands for the JSON in it, so that a value that is no text can be marked. */
const RAW = '\uE001';

/** A value that is no text, marked. */
export function here(value: Json): string {
  return `${HERE}${RAW}${Buffer.from(JSON.stringify(value)).toString('hex')}${RAW}`;
}

export type Task = { [key: string]: Json };
export type Workflow = { [key: string]: Json; tasks: Json[] };

/** Good workflows: a search, then writers that read it and each other. */
export const goodWorkflow: fc.Arbitrary<Workflow> = fc
  .record({
    name: fc.constantFrom('Research', 'Ünïcode ✓', 'a: b', 'with "quotes" and \'others\''),
    writers: fc.array(
      fc.record({
        reads: fc.constantFrom('results[0].title', 'results', 'total'),
        text: fc.constantFrom('Read ', "It's ", 'Line one\nand two: ', '✓ “ü” → ', 'a # b, [c] {d} '),
        tokens: fc.integer({ min: 1, max: 4096 }),
        more: fc.subarray(['timeout', 'priority', 'retry_config', 'dependencies', 'on_failure']),
      }),
      { minLength: 2, maxLength: 5 },
    ),
  })
  .map(({ name, writers }) => ({
    name,
    version: '1',
    tasks: [
      { id: 'search', protocol: 'web-search/v1', method: 'search', params: { query: 'async', limit: 5 } },
      ...writers.map(({ reads, text, tokens, more }, i) => ({
        id: `write-${i}`,
        protocol: 'llm/v1',
        method: 'generate',
        params: { prompt: `${text}\${search.result.${reads}} end`, max_tokens: tokens, style: 'plain' },
        ...Object.fromEntries(more.map((key) => [key, extras[key] as Json])),
      })),
    ],
  }));

const extras: Readonly<Record<string, Json>> = {
  timeout: '90s',
  priority: 'high',
  retry_config: { max_attempts: 2, initial_delay: 0.5, retry_on: ['timeout'] },
  dependencies: ['search'],
  on_failure: 'continue',
};

type Layout = { readonly name: string; readonly write: (value: Json) => string };

const yaml = { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' } as const;

export const layouts: readonly Layout[] = [
  { name: 'YAML', write: (value) => stringify(value, yaml) },
  { name: 'YAML, indented by 4', write: (value) => stringify(value, { ...yaml, indent: 4 }) },
  { name: 'YAML in flow', write: (value) => stringify(value, { ...yaml, collectionStyle: 'flow' }) },
  {
    name: 'YAML in single quotes',
    write: (value) =>
      stringify(value, { ...yaml, defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' }),
  },
  {
    name: 'YAML in double quotes',
    write: (value) => stringify(value, { ...yaml, defaultStringType: 'QUOTE_DOUBLE' }),
  },
  {
    name: 'YAML with comments',
    write: (value) => `# first\n\n${stringify(value, yaml).replaceAll('\n  - ', '\n  # next\n  - ')}`,
  },
  { name: 'YAML with CRLF', write: (value) => stringify(value, yaml).replaceAll('\n', '\r\n') },
  { name: 'JSON', write: (value) => JSON.stringify(value) },
  { name: 'JSON, indented', write: (value) => JSON.stringify(value, null, 2) },
  { name: 'JSON, indented by tabs', write: (value) => JSON.stringify(value, null, '\t') },
];

export type Expected = { readonly text: string; readonly line: number; readonly column: number };

/**
 * The text of a marked value, and where its mark was. A text is meant as a whole where the mark is its first character;
 * with `mapping`, the mark is on the first key and the mapping is meant.
 */
export function written(value: Json, { write }: Layout, mapping = false): Expected {
  const raw = new RegExp(`(["']?)${HERE}${RAW}([0-9a-f]*)${RAW}\\1`, 'u');
  const marked = write(value).replace(raw, (_, _quote, hex) => HERE + Buffer.from(hex, 'hex').toString());
  let at = marked.indexOf(HERE);
  const text = marked.replace(HERE, '');
  if (/["']/.test(text[at - 1] ?? '')) at -= 1;
  if (mapping && /\{\s*$/.test(text.slice(0, at))) at = text.lastIndexOf('{', at);
  const before = text.slice(0, at);
  return { text, line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

export type Damage = {
  readonly kind: string;
  readonly code: ErrorCode;
  /** Changes a good workflow and puts the mark. `task` is one of its writers. */
  readonly harm: (workflow: Workflow, task: Task) => void;
};
