import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../core/json.ts';
import { checkValue } from '../files/check.ts';
import { checkProvider, configSchemas } from './registry.ts';

/** Which page tells of which types, and the methods of the protocols it shows them with. */
const pages = [
  { file: 'mcp.md', types: ['mcp-server', 'mcp-http'], methods: ['days'] },
  { file: 'rest.md', types: ['rest'], methods: ['search'] },
  { file: 'graphql.md', types: ['graphql'], methods: ['copies'] },
  { file: 'providers.md', types: ['jsonrpc-http', 'jsonrpc-ws', 'jsonrpc-stdio'], methods: ['search'] },
  { file: 'process.md', types: ['process', 'python'], methods: ['count', 'reverse', 'execute'] },
  { file: 'container.md', types: ['container'], methods: ['shrink', 'describe'] },
  { file: 'grpc.md', types: ['grpc'], methods: ['find', 'follow'] },
];

type Entry = { readonly id: string; readonly type: string; readonly config: unknown };

function textOf(file: string): string {
  return readFileSync(new URL(`../../docs/how-to/${file}`, import.meta.url), 'utf8');
}

function providersIn(block: unknown): Entry[] {
  if (Array.isArray(block)) return block as Entry[];
  const { protocols = [] } = block as { protocols?: { providers?: Entry[] }[] };
  return protocols.flatMap(({ providers = [] }) => providers);
}

/** As whoever reads a configuration hands it on: sizes and times are numbers then. */
function asRead({ type, config }: Entry): unknown {
  const found: unknown[] = [];
  const read = checkValue(configSchemas()[type] ?? false, config as Json, [], {
    report: (finding) => found.push(finding),
  });
  expect(found).toEqual([]);
  return read;
}

describe.each(pages)('docs/how-to/$file', ({ file, types, methods }) => {
  const page = textOf(file);
  const blocks = [...page.matchAll(/```yaml[^\n]*\n([\s\S]*?)```/g)].map(
    ([, text]) => parse(String(text)) as unknown,
  );

  it('shows a provider of each type, and each can be connected as it stands there', () => {
    const providers = blocks.flatMap(providersIn);
    expect([...new Set(providers.map(({ type }) => type))].sort()).toEqual([...types].sort());
    for (const provider of providers) {
      const config = asRead(provider);
      expect(() => checkProvider({ ...provider, config, protocol: 'p/v1' }, { methods })).not.toThrow();
    }
  });

  it('names every key that can be set', () => {
    const schemas = configSchemas();
    for (const type of types) {
      const { properties } = schemas[type] as { properties: object };
      for (const key of Object.keys(properties)) expect(page).toMatch(new RegExp(`\\b${key}\\b`));
    }
  });
});
