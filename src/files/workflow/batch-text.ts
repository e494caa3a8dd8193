import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { MethodDefinition } from '../../core/protocol.ts';
import type { Call } from './call.ts';

/** The text of a file of a batch, which `path` names from the folder. Throws where it cannot be read. */
export type BatchReader = (file: { readonly directory: string; readonly path: string }) => string;

/**
 * Whether a language model is asked about the file, and takes no path of one: then it is shown the text itself, as the
 * providers of earlier generations did.
 */
export function isShownText(call: Call | null, method: MethodDefinition | undefined): boolean {
  if (call === null || method === undefined || !call.protocol.startsWith('llm/')) return false;
  if (call.method !== 'chat' && call.method !== 'generate') return false;
  const { params } = method;
  if (!isObject(params) || own(params, 'additionalProperties') !== false) return false;
  const properties = own(params, 'properties');
  return isObject(properties) && !Object.hasOwn(properties, 'file_path');
}

/** The text after what is asked of it: at the end of the prompt, or of the last message. */
export function withText(task: JsonObject, text: string): JsonObject {
  // A text that looks like a reference is none.
  const shown = text.replaceAll('${', () => '$${');
  const params = own(task, 'params');
  const given: JsonObject = isObject(params) ? (params as JsonObject) : {};
  if (own(task, 'method') === 'generate')
    return { ...task, params: { ...given, prompt: after(given['prompt'], shown) } };
  const messages = own(given, 'messages');
  const list = Array.isArray(messages) ? (messages as readonly Json[]) : [];
  const last = list.at(-1);
  const message = isObject(last)
    ? { ...last, content: contentWith(last['content'], shown) }
    : { role: 'user', content: shown };
  return { ...task, params: { ...given, messages: [...list.slice(0, -1), message] } };
}

function contentWith(content: Json | undefined, text: string): Json {
  return Array.isArray(content) ? [...content, { type: 'text', text }] : after(content, text);
}

function after(asked: Json | undefined, text: string): string {
  return typeof asked === 'string' && asked !== '' ? `${asked}\n\n${text}` : text;
}
