import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { listIn, objectIn, textIn } from '../../core/members.ts';
import type { Ask, Message, Part } from './wire.ts';

export type Defaults = { readonly model: string | null; readonly max_tokens: number | null };

/** The methods that come down to asking a model: of llm/v1, and of vision/v1 for models that see. */
export const methods = ['generate', 'chat', 'analyze', 'read_text'] as const;

const DESCRIBE = 'Describe what this image shows.';
const READ_TEXT = 'Write down the text in this image exactly as it stands there, and nothing else.';

/** What a task asks. Throws GLZ2010 where no model can be asked that. */
export function askOf(method: string, params: JsonObject, defaults: Defaults): Ask {
  const model = textIn(params, 'model') ?? defaults.model;
  if (model === null)
    throw new GleitzeitError('GLZ2010', 'the task names no model, and the provider has none for such tasks', {
      hint: 'give params.model, or default_model in the configuration of the provider',
    });
  const messages = messagesOf(method, params);
  const system = messages.filter(({ role }) => role === 'system').flatMap(({ parts }) => parts);
  const words = [
    textIn(params, 'system') ?? '',
    ...system.map((part) => (part.type === 'text' ? part.text : '')),
  ];
  const behaviour = words.filter((text) => text !== '').join('\n\n');
  const number = (key: string) => (typeof params[key] === 'number' ? params[key] : null);
  const stop = listIn(params, 'stop').filter((one) => typeof one === 'string');
  const tools = listIn(params, 'tools');
  return {
    kind: method === 'generate' ? 'prompt' : 'conversation',
    model,
    system: behaviour === '' ? null : behaviour,
    messages: messages.filter(({ role }) => role !== 'system'),
    max_tokens: number('max_tokens') ?? defaults.max_tokens,
    temperature: number('temperature'),
    top_p: number('top_p'),
    seed: number('seed'),
    stop: stop.length === 0 ? null : stop,
    tools: tools.length === 0 ? null : tools,
    stream: false,
  };
}

function messagesOf(method: string, params: JsonObject): Message[] {
  switch (method) {
    case 'chat':
      return listIn(params, 'messages').map(messageOf);
    case 'analyze':
      return [fromUser({ type: 'text', text: textIn(params, 'prompt') ?? DESCRIBE }, imageOf(params))];
    case 'read_text':
      return [fromUser({ type: 'text', text: READ_TEXT }, imageOf(params))];
    default:
      return [fromUser({ type: 'text', text: textIn(params, 'prompt') ?? '' })];
  }
}

function fromUser(...parts: readonly Part[]): Message {
  return { role: 'user', parts, given: { role: 'user' } };
}

function imageOf(params: JsonObject): Part {
  const image = objectIn(params, 'image');
  const url = textIn(image, 'url');
  if (url !== null) return { type: 'image', url };
  return { type: 'image', data: textIn(image, 'data') ?? '', media_type: textIn(image, 'media_type') ?? '' };
}

/** What is not made of words and images alone is left to the API as it stands. */
function messageOf(message: Json): Message {
  const object = isObject(message) ? message : {};
  const content = object['content'];
  const role = textIn(object, 'role') ?? 'user';
  if (typeof content === 'string') return { role, parts: [{ type: 'text', text: content }], given: object };
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  return { role, parts: parts.every((part) => part !== null) ? parts : [], given: object };
}

function partOf(part: Json): Part | null {
  const type = textIn(part, 'type');
  const text = textIn(part, 'text');
  if (type === 'text' && text !== null) return { type, text };
  if (type !== 'image') return null;
  const url = textIn(part, 'url');
  if (url !== null) return { type, url };
  const data = textIn(part, 'data');
  const media_type = textIn(part, 'media_type');
  return data === null || media_type === null ? null : { type, data, media_type };
}
