import { describe, expect, it } from 'vitest';
import { changesAnything, diffConfigs } from './diff.ts';
import { load, mistakes } from './testing.suite.ts';

const text = `functions:
  web_search: {protocol: web-search/v1, method: any, params: {query: "\${args.q}"}}
protocols: [{name: web-search/v1}]
`;

describe('functions of a configuration', () => {
  it('are there as they are written', async () => {
    const { functions, warnings } = await load(text);
    const params = { query: '${args.q}' };
    expect(functions).toEqual({ web_search: { protocol: 'web-search/v1', method: 'any', params } });
    expect(warnings).toEqual([]);
  });

  it.each([
    [text.replace('method: any', 'method: anny'), 'has no method "anny"'],
    [text.replace('${args.q}', '${args.q.deep}'), 'nothing fills in ${args.q.deep} here'],
    [text.replace('${args.q}', '${secrets.q}'), 'nothing fills in ${secrets.q} here'],
    [text.replace('method: any, ', ''), 'functions.web_search.method: is missing'],
    [text.replace('method: any', 'methd: any'), 'unknown key "methd"'],
  ])('%# is refused', async (wrong, expected) => {
    expect((await mistakes(wrong)).join('\n')).toContain(expected);
  });

  it('may name a protocol that was registered elsewhere, which is told', async () => {
    const { warnings } = await load(text.replace('[{name: web-search/v1}]', '[]'));
    expect(warnings).toEqual([expect.stringContaining('no protocol "web-search/v1"')]);
  });

  it('are taken up while the program runs', async () => {
    const [before, after] = await Promise.all([load(text), load(text.replace('web_search', 'find'))]);
    const change = diffConfigs(before, after);
    expect(change.functions).toEqual(['web_search', 'find']);
    expect(change.restart).toEqual([]);
    expect(changesAnything(change)).toBe(true);
    expect(changesAnything(diffConfigs(before, before))).toBe(false);
  });
});
