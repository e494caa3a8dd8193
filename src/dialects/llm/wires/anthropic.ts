import type { JsonObject } from '../../../core/json.ts';
import { listIn, objectIn, textIn } from '../../../core/members.ts';
import { countIn, given, usageOf, wordsIn } from '../reading.ts';
import type { Ask, Complaint, Message, Part, Pieces, Said, Wire } from '../wire.ts';

/** The service refuses requests that do not say how long an answer may be. */
const MAX_TOKENS = 4096;

/** Anthropic's messages. */
export const anthropicWire: Wire = {
  url: 'https://api.anthropic.com',
  models: '/v1/models',
  headers: { 'anthropic-version': '2023-06-01' },
  path: () => '/v1/messages',
  body: bodyOf,
  read,
  framing: 'events',
  pieces: () => new AnthropicPieces(),
  complaint,
};

function bodyOf(ask: Ask): JsonObject {
  return given({
    model: ask.model,
    max_tokens: ask.max_tokens ?? MAX_TOKENS,
    system: ask.system,
    messages: ask.messages.map(messageOf),
    temperature: ask.temperature,
    top_p: ask.top_p,
    stop_sequences: ask.stop,
    tools: ask.tools,
    ...(ask.stream ? { stream: true } : {}),
  });
}

function messageOf({ parts, given: message }: Message): JsonObject {
  return parts.length === 0 ? message : { ...message, content: parts.map(partOf) };
}

function partOf(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const source =
    'url' in part
      ? { type: 'url', url: part.url }
      : { type: 'base64', media_type: part.media_type, data: part.data };
  return { type: 'image', source };
}

function read(answer: JsonObject): Said | null {
  if (textIn(answer, 'type') !== 'message') return null;
  const content = listIn(answer, 'content');
  const usage = objectIn(answer, 'usage');
  return {
    text: wordsIn(content),
    model: textIn(answer, 'model'),
    finish_reason: textIn(answer, 'stop_reason'),
    usage: usageOf(countIn(usage, 'input_tokens'), countIn(usage, 'output_tokens')),
    message: { role: 'assistant', content },
  };
}

class AnthropicPieces implements Pieces {
  #text = '';
  #model: string | null = null;
  #reason: string | null = null;
  #input: number | undefined;
  #output: number | undefined;
  #over = false;

  take(piece: JsonObject): string {
    switch (textIn(piece, 'type')) {
      case 'message_start': {
        const message = objectIn(piece, 'message');
        this.#model = textIn(message, 'model');
        this.#count(objectIn(message, 'usage'));
        return '';
      }
      case 'content_block_delta': {
        const delta = objectIn(piece, 'delta');
        const words = textIn(delta, 'type') === 'text_delta' ? (textIn(delta, 'text') ?? '') : '';
        this.#text += words;
        return words;
      }
      case 'message_delta':
        this.#reason = textIn(objectIn(piece, 'delta'), 'stop_reason') ?? this.#reason;
        this.#count(objectIn(piece, 'usage'));
        return '';
      case 'message_stop':
        this.#over = true;
        return '';
      default:
        return '';
    }
  }

  #count(usage: JsonObject): void {
    this.#input = countIn(usage, 'input_tokens') ?? this.#input;
    this.#output = countIn(usage, 'output_tokens') ?? this.#output;
  }

  said(): Said | null {
    if (!this.#over) return null;
    return {
      text: this.#text,
      model: this.#model,
      finish_reason: this.#reason,
      usage: usageOf(this.#input, this.#output),
      message: { role: 'assistant', content: [{ type: 'text', text: this.#text }] },
    };
  }
}

function complaint(body: JsonObject): Complaint | null {
  const error = objectIn(body, 'error');
  const message = textIn(error, 'message');
  return message === null ? null : { message, type: textIn(error, 'type') };
}
