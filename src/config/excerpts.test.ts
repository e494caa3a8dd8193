import { describe, expect, it } from 'vitest';
import { rendered } from './testing.suite.ts';

const provider = 'type: http, config: {url: "http://u:hunter2pw@h/x", hedaers: {a: hunter2pw}}';

describe('what is said of a mistake', () => {
  it.each([
    `[{name: llm/v1, providers: [{${provider}}]}]`,
    `[{name: llm/v1, providers: [{type: http, config: {url: "http://u:hunter2pw@h/x", headers: [hunter2pw]}}]}]`,
    '[{name: "hunter2pw}]',
  ])('shows nothing of a variable: %s', async (GLEITZEIT_PROTOCOLS) => {
    const shown = await rendered('{}', { env: { GLEITZEIT_PROTOCOLS } });
    expect(shown).toContain('GLEITZEIT_PROTOCOLS:1:');
    expect(shown).not.toContain('hunter2pw');
  });

  it.each([
    ['a secret that stands there', 'secrets: {a: "hunter2pw"}'],
    ['one on a line of its own', 'secrets:\n  a: hunter2pw'],
    ['one in a text without an end', 'secrets:\n  a: "hunter2pw'],
    ['a misspelt key', `protocols: [{name: llm/v1, providers: [{${provider}}]}]`],
    [
      'headers that are a text',
      'protocols: [{name: llm/v1, providers: [{type: http, config: {url: "http://h", headers: hunter2pw}}]}]',
    ],
    [
      'a header that is a list',
      'protocols:\n  - name: llm/v1\n    providers:\n      - type: http\n        config:\n          url: http://h\n          headers:\n            x-a: [hunter2pw]',
    ],
    [
      'headers over several lines',
      'protocols: [{name: llm/v1, providers: [{type: http, config: {url: "http://h", headers: {\n x-a: [hunter2pw]}}}]}]',
    ],
    [
      'an address',
      'protocols: [{name: llm/v1, providers: [{type: http, config: {url: "http://u:hunter2pw@h:x/"}}]}]',
    ],
  ])('shows no value of %s', async (_, text) => {
    const shown = await rendered(text);
    expect(shown).toContain('gleitzeit.yaml:');
    expect(shown).not.toContain('hunter2pw');
  });
});
