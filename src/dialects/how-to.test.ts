import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkProvider, configSchemas } from './registry.ts';

const page = readFileSync(new URL('../../docs/how-to/providers.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text]) => parse(String(text)) as unknown,
);

type Entry = { readonly id: string; readonly type: string; readonly config: unknown };

function providersIn(block: unknown): Entry[] {
  if (Array.isArray(block)) return block as Entry[];
  const { protocols } = block as { protocols: { providers: Entry[] }[] };
  return protocols.flatMap(({ providers }) => providers);
}

describe('docs/how-to/providers.md', () => {
  it('shows one provider of each type, and each can be connected as it stands there', () => {
    const providers = blocks.flatMap(providersIn);
    expect(providers.map(({ type }) => type)).toEqual(Object.keys(configSchemas()));
    for (const provider of providers)
      expect(() =>
        checkProvider({ ...provider, protocol: 'web-search/v1' }, { methods: ['search'] }),
      ).not.toThrow();
  });

  it('names every key that can be set', () => {
    for (const schema of Object.values(configSchemas())) {
      const { properties } = schema as { properties: object };
      for (const key of Object.keys(properties)) expect(page).toMatch(new RegExp(`\\b${key}\\b`));
    }
  });
});
