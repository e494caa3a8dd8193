import { GleitzeitError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { objectIn, textIn } from '../../../core/members.ts';
import { countIn, given, usageOf } from '../reading.ts';
import type { Ask, Complaint, Message, Part, Pieces, Said, Wire } from '../wire.ts';

/** Ollama's own API, which has a method of its own for a prompt alone. */
export const ollamaWire: Wire = {
  url: 'http://localhost:11434',
  models: '/api/tags',
  headers: {},
  path: ({ kind }) => (kind === 'prompt' ? '/api/generate' : '/api/chat'),
  body: bodyOf,
  read: (answer) =>
    Object.hasOwn(answer, 'message') || Object.hasOwn(answer, 'response')
      ? saidIn(answer, messageIn(answer))
      : null,
  framing: 'lines',
  pieces: () => new OllamaPieces(),
  complaint,
};

function bodyOf(ask: Ask): JsonObject {
  const options = given({
    num_predict: ask.max_tokens,
    temperature: ask.temperature,
    top_p: ask.top_p,
    stop: ask.stop,
    seed: ask.seed,
  });
  return given({
    model: ask.model,
    ...(ask.kind === 'prompt' ? promptOf(ask) : conversationOf(ask)),
    options: Object.keys(options).length === 0 ? null : options,
    tools: ask.tools,
    stream: ask.stream,
  });
}

function promptOf({ system, messages }: Ask): JsonObject {
  const [message] = messages.map(messageOf);
  const { content = '', images } = message ?? {};
  return given({ prompt: content, system, images });
}

function conversationOf({ system, messages }: Ask): JsonObject {
  const first = system === null ? [] : [{ role: 'system', content: system }];
  return { messages: [...first, ...messages.map(messageOf)] };
}

/** Images stand beside the words, and only their bytes. */
function messageOf({ parts, given: message }: Message): JsonObject {
  if (parts.length === 0) return message;
  const content = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const images = parts.flatMap((part) => (part.type === 'image' ? [bytesOf(part)] : []));
  return { ...message, content, ...(images.length === 0 ? {} : { images }) };
}

function bytesOf(image: Part & { readonly type: 'image' }): string {
  if ('data' in image) return image.data;
  throw new GleitzeitError('GLZ2010', 'Ollama takes images by their bytes only', {
    hint: 'give data and media_type instead of the url',
  });
}

function messageIn(answer: JsonObject): JsonObject {
  const alone = textIn(answer, 'response');
  return alone === null ? objectIn(answer, 'message') : { role: 'assistant', content: alone };
}

function saidIn(answer: JsonObject, message: JsonObject): Said {
  return {
    text: textIn(message, 'content') ?? '',
    model: textIn(answer, 'model'),
    finish_reason: textIn(answer, 'done_reason'),
    usage: usageOf(countIn(answer, 'prompt_eval_count'), countIn(answer, 'eval_count')),
    message,
  };
}

class OllamaPieces implements Pieces {
  #text = '';
  #last: JsonObject | null = null;

  take(piece: JsonObject): string {
    const words = textIn(messageIn(piece), 'content') ?? '';
    this.#text += words;
    if (piece['done'] === true) this.#last = piece;
    return words;
  }

  said(): Said | null {
    return this.#last === null ? null : saidIn(this.#last, { role: 'assistant', content: this.#text });
  }
}

function complaint(body: JsonObject): Complaint | null {
  const message = textIn(body, 'error');
  return message === null ? null : { message, type: null };
}
