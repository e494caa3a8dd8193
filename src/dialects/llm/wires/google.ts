import type { JsonObject } from '../../../core/json.ts';
import { listIn, objectIn, textIn } from '../../../core/members.ts';
import { countIn, given, usageOf } from '../reading.ts';
import type { Ask, Complaint, Message, Part, Pieces, Said, Wire } from '../wire.ts';

/** Google's Gemini API. */
export const googleWire: Wire = {
  url: 'https://generativelanguage.googleapis.com',
  models: '/v1beta/models',
  headers: {},
  path: ({ model, stream }) => {
    const named = `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ''))}`;
    return stream ? `${named}:streamGenerateContent?alt=sse` : `${named}:generateContent`;
  },
  body: bodyOf,
  read,
  framing: 'events',
  pieces: () => new GooglePieces(),
  complaint,
};

function bodyOf(ask: Ask): JsonObject {
  const generation = given({
    maxOutputTokens: ask.max_tokens,
    temperature: ask.temperature,
    topP: ask.top_p,
    stopSequences: ask.stop,
    seed: ask.seed,
  });
  return given({
    contents: ask.messages.map(contentOf),
    systemInstruction: ask.system === null ? null : { parts: [{ text: ask.system }] },
    generationConfig: Object.keys(generation).length === 0 ? null : generation,
    tools: ask.tools,
  });
}

function contentOf({ role, parts, given: message }: Message): JsonObject {
  return parts.length === 0
    ? message
    : { role: role === 'assistant' ? 'model' : role, parts: parts.map(partOf) };
}

function partOf(part: Part): JsonObject {
  if (part.type === 'text') return { text: part.text };
  if ('url' in part) return { fileData: { fileUri: part.url } };
  return { inlineData: { mimeType: part.media_type, data: part.data } };
}

function read(answer: JsonObject): Said | null {
  const blocked = textIn(objectIn(answer, 'promptFeedback'), 'blockReason');
  const [candidate] = listIn(answer, 'candidates');
  if (candidate === undefined && blocked === null) return null;
  const content = objectIn(candidate, 'content');
  return {
    text: wordsOf(content),
    model: textIn(answer, 'modelVersion'),
    finish_reason: textIn(candidate, 'finishReason') ?? blocked,
    usage: usageIn(answer),
    message: content,
  };
}

function wordsOf(content: JsonObject): string {
  return listIn(content, 'parts')
    .map((part) => (objectIn({ part }, 'part')['thought'] === true ? '' : (textIn(part, 'text') ?? '')))
    .join('');
}

/** What it thought is paid for as if it had been said, and counted apart. */
function usageIn(answer: JsonObject) {
  const usage = objectIn(answer, 'usageMetadata');
  const [said, thought] = [countIn(usage, 'candidatesTokenCount'), countIn(usage, 'thoughtsTokenCount')];
  const written = said === undefined && thought === undefined ? undefined : (said ?? 0) + (thought ?? 0);
  return usageOf(countIn(usage, 'promptTokenCount'), written);
}

class GooglePieces implements Pieces {
  #text = '';
  #last: Said | null = null;
  #usage = {};

  take(piece: JsonObject): string {
    const said = read(piece);
    if (said === null) return '';
    this.#text += said.text;
    this.#usage = { ...this.#usage, ...said.usage };
    if (said.finish_reason !== null) this.#last = said;
    return said.text;
  }

  said(): Said | null {
    if (this.#last === null) return null;
    const message = { role: 'model', parts: [{ text: this.#text }] };
    return { ...this.#last, text: this.#text, usage: this.#usage, message };
  }
}

function complaint(body: JsonObject): Complaint | null {
  const error = objectIn(body, 'error');
  const message = textIn(error, 'message');
  if (message === null) return null;
  const wait = listIn(error, 'details')
    .map((detail) => textIn(detail, 'retryDelay'))
    .find((one) => one !== null);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(wait ?? '')?.[1];
  return {
    message,
    type: textIn(error, 'status'),
    ...(seconds === undefined ? {} : { retry_after_ms: Math.ceil(Number(seconds) * 1000) }),
  };
}
