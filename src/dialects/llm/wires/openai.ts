import type { JsonObject } from '../../../core/json.ts';
import { listIn, objectIn, textIn } from '../../../core/members.ts';
import { countIn, given, usageOf, wordsIn } from '../reading.ts';
import type { Ask, Complaint, Message, Part, Pieces, Said, Wire } from '../wire.ts';

export type OpenaiWords = 'max_tokens' | 'max_completion_tokens';

/** Chat completions: OpenAI's, and of the many services that speak like it. */
export function openaiWire(max_tokens_as: OpenaiWords): Wire {
  return {
    url: 'https://api.openai.com/v1',
    models: '/models',
    headers: {},
    path: () => '/chat/completions',
    body: (ask) => bodyOf(ask, max_tokens_as),
    read,
    framing: 'events',
    pieces: () => new OpenaiPieces(),
    complaint,
  };
}

function bodyOf(ask: Ask, max_tokens_as: OpenaiWords): JsonObject {
  const system = ask.system === null ? [] : [{ role: 'system', content: ask.system }];
  return given({
    model: ask.model,
    messages: [...system, ...ask.messages.map(messageOf)],
    [max_tokens_as]: ask.max_tokens,
    temperature: ask.temperature,
    top_p: ask.top_p,
    stop: ask.stop,
    seed: ask.seed,
    tools: ask.tools,
    ...(ask.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

function messageOf({ parts, given: message }: Message): JsonObject {
  const [first, ...others] = parts;
  if (parts.length === 0) return message;
  if (first?.type === 'text' && others.length === 0) return { ...message, content: first.text };
  return { ...message, content: parts.map(partOf) };
}

export function partOf(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return { type: 'image_url', image_url: { url: 'url' in part ? part.url : dataUrl(part) } };
}

export function dataUrl({
  data,
  media_type,
}: {
  readonly data: string;
  readonly media_type: string;
}): string {
  return `data:${media_type};base64,${data}`;
}

function read(answer: JsonObject): Said | null {
  const [choice] = listIn(answer, 'choices');
  if (choice === undefined) return null;
  const message = objectIn(choice, 'message');
  return {
    text: wordsIn(message['content']),
    model: textIn(answer, 'model'),
    finish_reason: textIn(choice, 'finish_reason'),
    usage: usageIn(answer),
    message,
  };
}

function usageIn(answer: JsonObject) {
  const usage = objectIn(answer, 'usage');
  return usageOf(countIn(usage, 'prompt_tokens'), countIn(usage, 'completion_tokens'));
}

class OpenaiPieces implements Pieces {
  #text = '';
  #model: string | null = null;
  #finish: string | null = null;
  #usage = {};

  take(piece: JsonObject): string {
    const [choice] = listIn(piece, 'choices');
    const words = textIn(objectIn(choice, 'delta'), 'content') ?? '';
    this.#text += words;
    this.#model = textIn(piece, 'model') ?? this.#model;
    this.#finish = textIn(choice, 'finish_reason') ?? this.#finish;
    this.#usage = { ...this.#usage, ...usageIn(piece) };
    return words;
  }

  said(): Said | null {
    if (this.#finish === null) return null;
    return {
      text: this.#text,
      model: this.#model,
      finish_reason: this.#finish,
      usage: this.#usage,
      message: { role: 'assistant', content: this.#text },
    };
  }
}

/** An account without money answers 429 too, and will answer nothing else tomorrow. */
const final = ['insufficient_quota', 'billing_hard_limit_reached'];

function complaint(body: JsonObject): Complaint | null {
  const error = objectIn(body, 'error');
  const message = textIn(error, 'message') ?? textIn(body, 'error') ?? textIn(body, 'message');
  if (message === null) return null;
  const type = textIn(error, 'code') ?? textIn(error, 'type');
  return { message, type, ...(type !== null && final.includes(type) ? { final: true } : {}) };
}
