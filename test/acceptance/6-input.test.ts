import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { ask, echo, partsIn } from './scene.ts';

async function partsFor(input: Json) {
  const { request } = await ask(input, echo);
  return partsIn(request.body);
}

describe('Requirement 6: input data conversion', () => {
  it('6.1 the text of an input is used as it is', async () => {
    expect(await partsFor({ text: 'say "this"\n', lang: 'en' })).toEqual([
      { kind: 'text', text: 'say "this"\n' },
    ]);
    expect(await partsFor({ text: 'this', query: 'not this' })).toEqual([{ kind: 'text', text: 'this' }]);
  });

  it('6.2 the query of an input is used as it is', async () => {
    expect(await partsFor({ query: 'what?', limit: 3 })).toEqual([{ kind: 'text', text: 'what?' }]);
  });

  it('6.3 an input with neither is sent as JSON, whole', async () => {
    const input = { topic: 'bees', words: 100, deep: { list: [1, null, 'ü'] } };
    const [part] = await partsFor(input);
    expect(JSON.parse(String(part?.['text']))).toEqual(input);
  });

  it('6.4 an input that is text is used as it is', async () => {
    expect(await partsFor('plain words')).toEqual([{ kind: 'text', text: 'plain words' }]);
  });

  it('6.5 the kind of every part is "text"', async () => {
    for (const input of ['a', { text: 'a' }, { query: 'a' }, { a: 1 }, { text: 5 }, { text: { a: 1 } }])
      expect((await partsFor(input)).map((part) => part['kind'])).toEqual(['text']);
  });

  it('6.6 there is at least one part', async () => {
    for (const input of [{}, { text: '' }, { text: null }])
      expect((await partsFor(input)).length).toBeGreaterThanOrEqual(1);
  });
});
