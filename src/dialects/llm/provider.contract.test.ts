import { afterEach, describe, expect, it } from 'vitest';
import { type Api, apis } from './config.ts';
import { endModels, errorOf, model, open, resultOf, saying } from './testing/asking.suite.ts';

afterEach(endModels);

describe.each(apis)('a model that speaks like %s', (api) => {
  it('says the same whole and in pieces, and what it took', async () => {
    const { url } = await model(api);
    const provider = open({ api, url }, ['small', 'large']);
    const pieces: (string | undefined)[] = [];
    const whole = await resultOf(provider, 'generate', { prompt: 'why?', max_tokens: 5 });
    const told = await resultOf(provider, 'generate', { prompt: 'why?', max_tokens: 5 }, ({ text }) =>
      pieces.push(text),
    );
    expect(whole).toMatchObject({ text: 'You said: why?', model: 'small' });
    expect(whole.finish_reason).toMatch(/stop|end_turn|COMPLETE/i);
    expect(whole.spent).toEqual({ input_tokens: 7, output_tokens: 3 });
    expect(told).toEqual(whole);
    expect(pieces).toEqual(['You said: ', 'why?']);
  });

  it('is asked for the model of the task, with everything the task says of it', async () => {
    const { url, heard } = await model(api);
    const provider = open({ api, url, default_model: 'small', options: { extra: 1 } });
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ];
    await resultOf(provider, 'chat', {
      messages,
      model: 'large',
      temperature: 0.5,
      max_tokens: 9,
      stop: ['.'],
    });
    const [asked] = heard();
    expect(asked).toMatchObject({ model: 'large', text: 'three', stream: false, body: { extra: 1 } });
    const text = JSON.stringify(asked?.body);
    for (const word of ['Be brief.', 'one', 'two', 'three', '0.5', '9', '"."']) expect(text).toContain(word);
  });

  it('is shown an image by its bytes', async () => {
    const { url, heard } = await model(api);
    const provider = open({ api, url, default_model: 'small' });
    const image = { data: 'aW1hZ2U=', media_type: 'image/png' };
    expect(await resultOf(provider, 'analyze', { image, prompt: 'what?' })).toMatchObject({
      text: 'You said: what?',
    });
    await resultOf(provider, 'read_text', { image });
    for (const { body } of heard()) expect(JSON.stringify(body)).toContain('aW1hZ2U=');
  });

  it('is shown an image by its address, or says that it cannot be', async () => {
    const { url, heard } = await model(api);
    const provider = open({ api, url, default_model: 'small' });
    const params = { image: { url: 'https://example.org/cat.png' }, prompt: 'what?' };
    if (api === 'ollama') {
      const refused = await errorOf(provider, 'analyze', params);
      expect(refused).toMatchObject({
        class: 'rejected',
        message: 'Ollama takes images by their bytes only',
      });
      return;
    }
    await resultOf(provider, 'analyze', params);
    for (const { body } of heard()) expect(JSON.stringify(body)).toContain('https://example.org/cat.png');
  });

  it('is not asked in pieces where tools may be called', async () => {
    const { url, heard } = await model(api);
    const provider = open({ api, url, default_model: 'small' });
    const params = { messages: [{ role: 'user', content: 'hm' }], tools: [{ name: 'add' }] };
    await resultOf(provider, 'chat', params, () => {});
    expect(heard().map(({ stream }) => stream)).toEqual([false]);
  });

  it('keeps its key out of what it complains of', async () => {
    const { url } = await model(api, { key: 'right' });
    const provider = open({
      api,
      url,
      default_model: 'small',
      auth: { type: 'bearer', token: '${secrets.key}' },
    });
    expect(await errorOf(provider, 'generate', { prompt: 'x' })).toMatchObject({
      class: 'rejected',
      message: 'invalid key',
    });
  });

  it('has not answered where its pieces end too early', async () => {
    const headers = { 'content-type': api === 'ollama' ? 'application/x-ndjson' : 'text/event-stream' };
    const url = await saying({ headers }, '');
    const provider = open({ api, url, default_model: 'small' });
    expect((await errorOf(provider, 'generate', { prompt: 'x' }, () => {})).class).toBe('transport');
  });

  it('is understood where it answers as a whole though it was asked for pieces', async () => {
    const { url } = await model(api);
    const whole = await (await fetch(url.replace(/\/v1$/, '') + pathOf(api), asking(api))).text();
    const flat = await saying({ headers: { 'content-type': 'application/json' } }, whole);
    const provider = open({ api, url: flat, default_model: 'small' });
    expect(
      await resultOf(provider, 'chat', { messages: [{ role: 'user', content: 'x' }] }, () => {}),
    ).toMatchObject({ text: 'You said: hello' });
  });
});

const paths: Readonly<Record<Api, string>> = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  cohere: '/v2/chat',
  google: '/v1beta/models/small:generateContent',
};
const pathOf = (api: Api) => paths[api];
function asking(api: Api): RequestInit {
  const messages = [{ role: 'user', content: 'hello' }];
  const body =
    api === 'google'
      ? { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
      : { model: 'small', max_tokens: 5, stream: false, messages };
  return { method: 'POST', body: JSON.stringify(body) };
}
