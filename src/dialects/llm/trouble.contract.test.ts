import { afterEach, describe, expect, it } from 'vitest';
import { listening } from '../testing/listening.suite.ts';
import { endModels, errorOf, events, open, resultOf, saying } from './testing/asking.suite.ts';

afterEach(endModels);

describe('what goes wrong with models', () => {
  it('does not show keys that a model repeats while it speaks', async () => {
    const words = ['the key is value-of', '-key, is', ' it not?'].map((response) => ({ response }));
    const lines = [...words, { response: '', done: true }].map((line) => `${JSON.stringify(line)}\n`);
    const url = await saying({ headers: { 'content-type': 'application/x-ndjson' } }, lines.join(''));
    const headers = { 'x-key': '${secrets.key}' };
    const { report, told } = listening();
    const provider = open({ api: 'ollama', url, default_model: 'small', headers });
    await resultOf(provider, 'generate', { prompt: 'x' }, report);
    expect(told()).toEqual({ text: 'the key is [secret], is it not?' });
  });

  it('is final where there is no money left, though the status is that of too many requests', async () => {
    const body = {
      error: {
        message: 'You exceeded your current quota',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    };
    const url = await saying({ status: 429, headers: {} }, JSON.stringify(body));
    const provider = open({ api: 'openai', url, default_model: 'small' });
    expect((await errorOf(provider, 'generate', { prompt: 'x' })).class).toBe('rejected');
  });

  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [{ 'retry-after': '2' }, 2000],
  ])('waits as long as %j says', async (headers, expected) => {
    const url = await saying({ status: 429, headers }, '{"error":{"message":"slow"}}');
    const provider = open({ api: 'openai', url, default_model: 'small' });
    expect((await errorOf(provider, 'generate', { prompt: 'x' })).data.retry_after_ms).toBe(expected);
  });

  it('does not stop a provider for ever, whatever a service asks for', async () => {
    const day = 24 * 60 * 60 * 1000;
    const openai = await saying({ status: 429, headers: { 'retry-after-ms': '9'.repeat(30) } }, '{}');
    const error = { code: 429, message: 'quota', details: [{ retryDelay: `${'9'.repeat(30)}s` }] };
    const google = await saying({ status: 429, headers: {} }, JSON.stringify({ error }));
    for (const config of [
      { api: 'openai', url: openai },
      { api: 'google', url: google },
    ]) {
      const failed = await errorOf(open({ ...config, default_model: 'small' }), 'generate', { prompt: 'x' });
      expect(failed.data.retry_after_ms).toBe(day);
    }
  });

  it('waits as long as the details of an error of Google say', async () => {
    const error = {
      code: 429,
      message: 'quota',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ retryDelay: '7.5s' }],
    };
    const url = await saying({ status: 429, headers: {} }, JSON.stringify({ error }));
    const provider = open({ api: 'google', url, default_model: 'small' });
    expect(await errorOf(provider, 'generate', { prompt: 'x' })).toMatchObject({
      class: 'rate_limit',
      data: { retry_after_ms: 7500 },
    });
  });

  it.each([
    ['overloaded_error', 'server'],
    ['rate_limit_error', 'rate_limit'],
    ['invalid_request_error', 'rejected'],
  ])('comes in the middle of an answer too: %s is %s', async (type, expected) => {
    const error = { type: 'error', error: { type, message: 'no more' } };
    const url = await saying(events, `event: error\ndata: ${JSON.stringify(error)}\n\n`);
    const provider = open({ api: 'anthropic', url, default_model: 'small' });
    expect(await errorOf(provider, 'generate', { prompt: 'x' }, () => {})).toMatchObject({
      class: expected,
      message: 'no more',
    });
  });

  it.each([
    [{ finish_reason: 'ERROR', error: 'it broke' }, 'server', 'it broke'],
    [{ finish_reason: 'TIMEOUT' }, 'timeout', 'the model stopped in the middle of its answer (TIMEOUT)'],
  ])('is the last word of an answer of Cohere: %j is %s', async (end, expected, message) => {
    const piece = { type: 'content-delta', index: 0, delta: { message: { content: { text: 'half' } } } };
    const last = { type: 'message-end', delta: end };
    const streamed = await saying(
      events,
      [piece, last].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''),
    );
    const content = [{ type: 'text', text: 'half' }];
    const whole = JSON.stringify({ ...end, message: { role: 'assistant', content } });
    const json = await saying({ headers: { 'content-type': 'application/json' } }, whole);
    for (const url of [streamed, json]) {
      const provider = open({ api: 'cohere', url, default_model: 'small' });
      const error = await errorOf(provider, 'generate', { prompt: 'x' }, () => {});
      expect(error).toMatchObject({ class: expected, message });
    }
  });

  it('counts what a model of Google thought as what it wrote', async () => {
    const answer = {
      candidates: [{ content: { parts: [{ text: 'yes' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, thoughtsTokenCount: 40 },
    };
    const whole = await saying({ headers: { 'content-type': 'application/json' } }, JSON.stringify(answer));
    const streamed = await saying(events, `data: ${JSON.stringify(answer)}\n\n`);
    for (const url of [whole, streamed]) {
      const provider = open({ api: 'google', url, default_model: 'small' });
      const { spent } = await resultOf(provider, 'generate', { prompt: 'x' }, () => {});
      expect(spent).toEqual({ input_tokens: 7, output_tokens: 43 });
    }
  });

  it('is told where neither the task nor the provider names a model', async () => {
    const provider = open({ api: 'openai', url: 'http://127.0.0.1:1' });
    expect(await errorOf(provider, 'generate', { prompt: 'x' })).toMatchObject({
      class: 'rejected',
      data: { hint: expect.stringContaining('default_model') as string },
    });
  });

  it.each([[{ api: 'openai', url: 'ftp://x' }], [{ api: 'opnai' }], [{}], [{ api: 'openai', modl: 1 }]])(
    'is found in the configuration: %j',
    (config) => {
      expect(() => open(config)).toThrow(expect.objectContaining({ code: 'GLZ1012' }));
    },
  );
});
