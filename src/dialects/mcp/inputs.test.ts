import { describe, expect, it } from 'vitest';
import { createInputs } from './inputs.ts';

const form = (properties: object, required: string[] = []) => ({
  message: 'please',
  requestedSchema: { type: 'object', properties, required },
});

describe('what a server may ask', () => {
  it('is refused politely where nothing is configured, and nothing is promised', async () => {
    const { capabilities, asked } = createInputs({});
    expect(capabilities).toEqual({});
    expect(await asked({ method: 'ping' })).toEqual({ result: {} });
    expect(await asked({ method: 'elicitation/create', params: form({}) as never })).toEqual({
      result: { action: 'decline' },
    });
    expect(await asked({ method: 'sampling/createMessage' })).toMatchObject({ error: { code: -32601 } });
    expect(await asked({ method: 'roots/list' })).toMatchObject({ error: { code: -32601 } });
    expect(asked({ method: 'something/else' })).toBeNull();
    expect(asked({ method: 'constructor' })).toBeNull();
  });

  it('is answered with roots, and with what forms propose', async () => {
    const { capabilities, asked } = createInputs({ roots: ['file:///a'], elicitation: 'defaults' });
    expect(capabilities).toEqual({ roots: {}, elicitation: { form: {} } });
    expect(await asked({ method: 'roots/list' })).toEqual({ result: { roots: [{ uri: 'file:///a' }] } });
    const params = form({ a: { default: 1 }, b: { type: 'string' } }) as never;
    expect(await asked({ method: 'elicitation/create', params })).toEqual({
      result: { action: 'accept', content: { a: 1 } },
    });
  });

  it.each([
    [form({ a: {} }, ['a']), { action: 'decline' }],
    [{ mode: 'url', url: 'https://x' }, { action: 'decline' }],
    [form({ n: { default: 1 }, m: { default: 2 } }), { action: 'accept', content: { n: 7, m: 2 } }],
  ])('%j is answered with %j', (params, answer) => {
    const { answers } = createInputs({ elicitation: { n: 7 } });
    expect(answers({ it: { method: 'elicitation/create', params: params as never } })).toEqual({
      it: answer,
    });
  });

  it('is an error where it cannot be answered', () => {
    const { answers } = createInputs({ elicitation: 'defaults' });
    expect(() => answers({ it: { method: 'sampling/createMessage' } })).toThrow('by sampling/createMessage');
    expect(() => answers({ it: 1 })).toThrow('asks for input');
    expect(answers(undefined)).toEqual({});
  });
});
