import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { CohereClientV2 } from 'cohere-ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from './config.ts';
import { startModel } from './testing/model.suite.ts';

/**
 * The libraries of the vendors themselves are content with the services that our dialect is tested against: so those
 * speak as the vendors do.
 */

type Talk = {
  readonly text: string;
  readonly pieces: readonly string[];
  readonly tokens: readonly unknown[];
};

const KEY = 'key-of-the-test';
const question = 'why?';
const messages = [{ role: 'user' as const, content: question }];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const vendors: Readonly<Record<Api, (url: string, key: string) => Promise<Talk>>> = {
  async openai(baseURL, apiKey) {
    const { chat } = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
    const said = await chat.completions.create({ model: 'small', messages });
    const pieces: string[] = [];
    for await (const chunk of await chat.completions.create({ model: 'small', messages, stream: true }))
      pieces.push(chunk.choices[0]?.delta.content ?? '');
    const { prompt_tokens, completion_tokens } = said.usage ?? {};
    return {
      text: said.choices[0]?.message.content ?? '',
      pieces,
      tokens: [prompt_tokens, completion_tokens],
    };
  },

  async anthropic(baseURL, apiKey) {
    const client = new Anthropic({ baseURL, apiKey, maxRetries: 0 });
    const asked = { model: 'small', max_tokens: 10, messages };
    const said = await client.messages.create(asked);
    const pieces: string[] = [];
    for await (const event of await client.messages.create({ ...asked, stream: true }))
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        pieces.push(event.delta.text);
    const text = said.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return { text, pieces, tokens: [said.usage.input_tokens, said.usage.output_tokens] };
  },

  async ollama(host, key) {
    const client = new Ollama({ host, headers: { authorization: `Bearer ${key}` } });
    const said = await client.generate({ model: 'small', prompt: question, stream: false });
    const pieces: string[] = [];
    for await (const part of await client.chat({ model: 'small', messages, stream: true }))
      pieces.push(part.message.content);
    return { text: said.response ?? '', pieces, tokens: [said.prompt_eval_count, said.eval_count] };
  },

  async cohere(environment, token) {
    const client = new CohereClientV2({ environment, token });
    const once = { maxRetries: 0 };
    const said = await client.chat({ model: 'small', messages }, once);
    const pieces: string[] = [];
    for await (const event of await client.chatStream({ model: 'small', messages }, once))
      if (event.type === 'content-delta') pieces.push(event.delta?.message?.content?.text ?? '');
    const text = said.message.content?.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
    return { text, pieces, tokens: [said.usage?.tokens?.inputTokens, said.usage?.tokens?.outputTokens] };
  },

  async google(baseUrl, apiKey) {
    const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
    const said = await models.generateContent({ model: 'small', contents: question });
    const pieces: string[] = [];
    for await (const chunk of await models.generateContentStream({ model: 'small', contents: question }))
      pieces.push(chunk.text ?? '');
    const { promptTokenCount, candidatesTokenCount } = said.usageMetadata ?? {};
    return { text: said.text ?? '', pieces, tokens: [promptTokenCount, candidatesTokenCount] };
  },
};

describe.each(Object.entries(vendors))('the library of %s', (api, talk) => {
  it('takes our stand-in for its service, whole answers and pieces', async () => {
    const { url, stop } = await startModel(api as Api, { key: KEY });
    ends.push(stop);
    const { text, pieces, tokens } = await talk(url, KEY);
    expect(text).toBe('You said: why?');
    expect(pieces.filter((piece) => piece !== '')).toEqual(['You said: ', 'why?']);
    expect(tokens).toEqual([7, 3]);
  });

  it('is refused with a wrong key, in words it understands', async () => {
    const { url, stop } = await startModel(api as Api, { key: KEY });
    ends.push(stop);
    await expect(talk(url, 'another')).rejects.toThrow(/invalid key/);
  });
});
