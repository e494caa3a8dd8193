import type { Json, JsonObject } from '../../../core/json.ts';
import type { Api } from '../config.ts';

/** What a request asks, read as the vendor documents it, with nothing of ours. */
export type Heard = {
  readonly text: string;
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
};

type Body = Readonly<Record<string, Json>>;
type Messages = readonly { readonly role: string; readonly content: Json }[];

const lastOf = (messages: unknown): Json => (messages as Messages).at(-1)?.content ?? '';
const wordsOf = (content: Json): string =>
  typeof content === 'string'
    ? content
    : (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('');

/** How one vendor hears and speaks. */
export type Speech = {
  heard(path: string, body: Body): Heard | null;
  /** An answer as a whole. */
  whole(heard: Heard, words: string): JsonObject;
  /** The same in pieces, as they stand on the line. */
  pieces(heard: Heard, words: readonly string[]): readonly string[];
  error(status: number, message: string): JsonObject;
  readonly stream_type: string;
  /** The headers that the key may come in, and what stands before it. */
  readonly keys: readonly (readonly [string, string])[];
};

const sse = (data: Json, event?: string) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
const EVENTS = 'text/event-stream; charset=utf-8';
const ID = 'answer-1';

const openai: Speech = {
  heard: (path, body) =>
    path === '/v1/chat/completions'
      ? {
          text: wordsOf(lastOf(body['messages'])),
          model: String(body['model']),
          stream: body['stream'] === true,
          body,
        }
      : null,
  whole: ({ model }, content) => ({
    id: ID,
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  }),
  pieces: ({ model }, words) => {
    const chunk = (choices: Json, more: JsonObject = {}) =>
      sse({ id: ID, object: 'chat.completion.chunk', created: 1, model, choices, ...more });
    return [
      chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
      ...words.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }),
      'data: [DONE]\n\n',
    ];
  },
  error: (status, message) => ({
    error: { message, type: status === 429 ? 'requests' : 'invalid_request_error', param: null, code: null },
  }),
  stream_type: EVENTS,
  keys: [['authorization', 'Bearer ']],
};

const anthropic: Speech = {
  heard: (path, body) =>
    path === '/v1/messages' && typeof body['max_tokens'] === 'number'
      ? {
          text: wordsOf(lastOf(body['messages'])),
          model: String(body['model']),
          stream: body['stream'] === true,
          body,
        }
      : null,
  whole: ({ model }, text) => ({
    id: ID,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 3 },
  }),
  pieces: ({ model }, words) => {
    const event = (type: string, more: JsonObject) => sse({ type, ...more }, type);
    const message = { id: ID, type: 'message', role: 'assistant', model, content: [], stop_reason: null };
    return [
      event('message_start', {
        message: { ...message, stop_sequence: null, usage: { input_tokens: 7, output_tokens: 1 } },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('ping', {}),
      ...words.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 3 },
      }),
      event('message_stop', {}),
    ];
  },
  error: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'invalid_request_error', message },
  }),
  stream_type: EVENTS,
  keys: [
    ['x-api-key', ''],
    ['authorization', 'Bearer '],
  ],
};

const ollama: Speech = {
  heard: (path, body) => {
    const common = { model: String(body['model']), stream: body['stream'] !== false, body };
    if (path === '/api/generate') return { ...common, text: String(body['prompt']) };
    return path === '/api/chat' ? { ...common, text: wordsOf(lastOf(body['messages'])) } : null;
  },
  whole: (heard, content) => ({ ...spoken(heard, content), ...ended }),
  pieces: (heard, words) => [
    ...words.map((content) => `${JSON.stringify({ ...spoken(heard, content), done: false })}\n`),
    `${JSON.stringify({ ...spoken(heard, ''), ...ended })}\n`,
  ],
  error: (_, message) => ({ error: message }),
  stream_type: 'application/x-ndjson',
  keys: [['authorization', 'Bearer ']],
};

const ended = { done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 3 };

function spoken({ model, body }: Heard, content: string): JsonObject {
  const said = Object.hasOwn(body, 'prompt')
    ? { response: content }
    : { message: { role: 'assistant', content } };
  return { model, created_at: '2026-01-01T00:00:00Z', ...said };
}

const cohere: Speech = {
  heard: (path, body) =>
    path === '/v2/chat'
      ? {
          text: wordsOf(lastOf(body['messages'])),
          model: String(body['model']),
          stream: body['stream'] === true,
          body,
        }
      : null,
  whole: (_, text) => ({
    id: ID,
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    usage: {
      billed_units: { input_tokens: 5, output_tokens: 3 },
      tokens: { input_tokens: 7, output_tokens: 3 },
    },
  }),
  pieces: (_, words) => {
    const event = (type: string, more: JsonObject) => sse({ type, ...more }, type);
    const usage = { tokens: { input_tokens: 7, output_tokens: 3 } };
    return [
      event('message-start', { id: ID, delta: { message: { role: 'assistant' } } }),
      event('content-start', { index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
      ...words.map((text) => event('content-delta', { index: 0, delta: { message: { content: { text } } } })),
      event('content-end', { index: 0 }),
      event('message-end', { delta: { finish_reason: 'COMPLETE', usage } }),
    ];
  },
  error: (_, message) => ({ id: ID, message }),
  stream_type: EVENTS,
  keys: [['authorization', 'Bearer ']],
};

const google: Speech = {
  heard: (path, body) => {
    const found = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path);
    if (found === null) return null;
    const last = (body['contents'] as readonly { readonly parts: Json }[]).at(-1)?.parts ?? [];
    return {
      text: wordsOf(last),
      model: found[1] ?? '',
      stream: found[2] === 'streamGenerateContent',
      body,
    };
  },
  whole: ({ model }, text) => candidate(model, text, 'STOP'),
  pieces: ({ model }, words) => [
    ...words.map((text) => sse(candidate(model, text, null))),
    sse(candidate(model, '', 'STOP')),
  ],
  error: (code, message) => ({
    error: { code, message, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT' },
  }),
  stream_type: EVENTS,
  keys: [['x-goog-api-key', '']],
};

function candidate(modelVersion: string, text: string, finishReason: string | null): JsonObject {
  const content = { parts: [{ text }], role: 'model' };
  return {
    candidates: [{ content, index: 0, ...(finishReason === null ? {} : { finishReason }) }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    modelVersion,
  };
}

export const speeches: Readonly<Record<Api, Speech>> = { openai, anthropic, ollama, cohere, google };
