import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, jsonDepth } from '../../core/json.ts';
import { SseParser, sseEvents } from '../../rpc/http/sse.ts';
import { answerLimits } from '../provider-type.ts';
import type { Wire } from './wire.ts';

/** The pieces of an answer, as its API puts them on the line. */
export async function* framesOf(
  body: AsyncIterable<Uint8Array>,
  framing: Wire['framing'],
): AsyncGenerator<JsonObject> {
  const texts = framing === 'events' ? eventsIn(body) : linesIn(body);
  for await (const text of texts) yield parsed(text);
}

async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const { data } of sseEvents(body, new SseParser(answerLimits.max_message)))
    if (data !== '' && data !== '[DONE]') yield data;
}

async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    // Only what is new is looked through: a line may come in as many pieces as it has bytes.
    const [end = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += end;
    for (const line of lines) {
      if (rest.trim() !== '') yield rest;
      rest = line;
    }
  }
  if (rest.trim() !== '') yield rest;
}

/** A JSON object, or GLZ2005. */
export function parsed(text: string): JsonObject {
  const value = jsonDepth(text, answerLimits.max_depth) > answerLimits.max_depth ? undefined : jsonIn(text);
  if (isObject(value)) return value;
  throw new GleitzeitError('GLZ2005', 'the service answered with something that is no JSON object', {
    fault: 'provider',
    details: text.slice(0, 200),
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
