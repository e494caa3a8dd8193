import { GleitzeitError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { objectIn, textIn } from '../../../core/members.ts';
import { countIn, given, usageOf, wordsIn } from '../reading.ts';
import type { Ask, Complaint, Message, Pieces, Said, Wire } from '../wire.ts';
import { partOf } from './openai.ts';

/** The second version of Cohere's chat. */
export const cohereWire: Wire = {
  url: 'https://api.cohere.com',
  models: '/v1/models',
  headers: {},
  path: () => '/v2/chat',
  body: bodyOf,
  read,
  framing: 'events',
  pieces: () => new CoherePieces(),
  complaint,
};

function bodyOf(ask: Ask): JsonObject {
  const system = ask.system === null ? [] : [{ role: 'system', content: ask.system }];
  return given({
    model: ask.model,
    messages: [...system, ...ask.messages.map(messageOf)],
    max_tokens: ask.max_tokens,
    temperature: ask.temperature,
    p: ask.top_p,
    stop_sequences: ask.stop,
    seed: ask.seed,
    tools: ask.tools,
    stream: ask.stream,
  });
}

function messageOf({ parts, given: message }: Message): JsonObject {
  return parts.length === 0 ? message : { ...message, content: parts.map(partOf) };
}

function read(answer: JsonObject): Said | null {
  if (!Object.hasOwn(answer, 'message') || textIn(answer, 'finish_reason') === null) return null;
  checkEnd(answer);
  const message = objectIn(answer, 'message');
  return {
    text: wordsIn(message['content']),
    model: null,
    finish_reason: textIn(answer, 'finish_reason'),
    usage: usageIn(answer),
    message,
  };
}

/** A model that broke off says so in its last words, under a status that tells of nothing. */
function checkEnd(end: JsonObject): void {
  const reason = textIn(end, 'finish_reason') ?? '';
  if (reason !== 'ERROR' && reason !== 'TIMEOUT') return;
  const message = textIn(end, 'error') ?? `the model stopped in the middle of its answer (${reason})`;
  throw new GleitzeitError(reason === 'TIMEOUT' ? 'GLZ2003' : 'GLZ2001', message, {
    details: { type: reason },
  });
}

function usageIn(answer: JsonObject) {
  const tokens = objectIn(objectIn(answer, 'usage'), 'tokens');
  return usageOf(countIn(tokens, 'input_tokens'), countIn(tokens, 'output_tokens'));
}

class CoherePieces implements Pieces {
  #text = '';
  #end: JsonObject | null = null;

  take(piece: JsonObject): string {
    const type = textIn(piece, 'type');
    const delta = objectIn(piece, 'delta');
    if (type === 'message-end') {
      checkEnd(delta);
      this.#end = delta;
    }
    if (type !== 'content-delta') return '';
    const words = textIn(objectIn(objectIn(delta, 'message'), 'content'), 'text') ?? '';
    this.#text += words;
    return words;
  }

  said(): Said | null {
    if (this.#end === null) return null;
    return {
      text: this.#text,
      model: null,
      finish_reason: textIn(this.#end, 'finish_reason'),
      usage: usageIn(this.#end),
      message: { role: 'assistant', content: [{ type: 'text', text: this.#text }] },
    };
  }
}

function complaint(body: JsonObject): Complaint | null {
  const message = textIn(body, 'message');
  return message === null ? null : { message, type: null };
}
