import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts';
import type { Oddities, Part, WireVersion } from './model.ts';

/** A text member that is there, else nothing: null and other kinds are what careless serialisers write for nothing. */
export function textAt(from: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = own(from, name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

export function listAt(from: JsonObject, name: string): readonly Json[] {
  const value = own(from, name);
  return Array.isArray(value) ? value : [];
}

export function textsAt(from: JsonObject, name: string): readonly string[] | undefined {
  const texts = listAt(from, name).filter((item) => typeof item === 'string');
  return texts.length === 0 ? undefined : texts;
}

export function objectAt(from: JsonObject, name: string): JsonObject | undefined {
  const value = own(from, name);
  return isObject(value) ? value : undefined;
}

/** Only the members that have a value: an absent one and one that is undefined are not the same to whoever compares. */
export function given<Members extends Readonly<Record<string, unknown>>>(members: Members) {
  // By hand: this is most of what reading an answer takes.
  const there: Record<string, unknown> = {};
  for (const name of Object.keys(members)) if (members[name] !== undefined) there[name] = members[name];
  return there as { [Key in keyof Members]?: Exclude<Members[Key], undefined> };
}

/** The parts of a message or an artifact that can be read. */
export function readParts(holder: JsonObject, odd: Oddities): readonly Part[] {
  const parts: Part[] = [];
  for (const item of listAt(holder, 'parts')) {
    const part = isObject(item) ? readPart(item) : null;
    if (part === null) odd.push('has a part that is neither text, file nor data');
    else parts.push(part);
  }
  return parts;
}

/** 0.3 names the kind of a part, 0.2 called that `type`, and in 1.0 the member that is there tells. */
function readPart(part: JsonObject): Part | null {
  const more = given({ metadata: objectAt(part, 'metadata') });
  const text = textAt(part, 'text');
  if (text !== undefined) return { kind: 'text', text, ...more };
  const file = readFile(part);
  if (file !== null) return { ...file, ...more };
  const data = own(part, 'data') as Json | undefined;
  return data === undefined ? null : { kind: 'data', data, ...more };
}

function readFile(part: JsonObject): Extract<Part, { kind: 'file' }> | null {
  const inner = objectAt(part, 'file') ?? part;
  const bytes = textAt(inner, 'bytes', 'fileWithBytes', 'raw');
  const uri = textAt(inner, 'uri', 'fileWithUri', 'url');
  const where = bytes === undefined ? uri && { uri } : { bytes };
  if (where === undefined || where === '') return null;
  const name = textAt(inner, 'name', 'filename');
  const media_type = textAt(inner, 'mimeType', 'mediaType') ?? textAt(part, 'mediaType');
  return { kind: 'file', file: where, ...given({ name, media_type }) };
}

export function writePart(part: Part, version: WireVersion): JsonObject {
  const more: JsonObject = given({ metadata: part.metadata });
  if (version === '0.3') return { ...oldPart(part), ...more };
  if (part.kind === 'text') return { text: part.text, ...more };
  if (part.kind === 'data') return { data: part.data, mediaType: 'application/json', ...more };
  const where = 'bytes' in part.file ? { raw: part.file.bytes } : { url: part.file.uri };
  return { ...where, ...given({ filename: part.name, mediaType: part.media_type }), ...more };
}

function oldPart(part: Part): JsonObject {
  if (part.kind === 'text') return { kind: 'text', text: part.text };
  // Data has to be an object there; 1.0 allows any value.
  if (part.kind === 'data')
    return { kind: 'data', data: isObject(part.data) ? part.data : { value: part.data } };
  return { kind: 'file', file: { ...part.file, ...given({ name: part.name, mimeType: part.media_type }) } };
}

/** The texts among the parts, one below the other; undefined where there is none. */
export function textOf(parts: readonly Part[]): string | undefined {
  const texts = parts.filter((part) => part.kind === 'text').map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join('\n');
}
