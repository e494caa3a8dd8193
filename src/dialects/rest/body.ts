import { randomUUID } from 'node:crypto';
import { isObject, type Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { mistake } from '../mapping/mistake.ts';
import {
  nothingThere,
  type Scope,
  type Template,
  type TemplateParts,
  template,
  textTemplate,
  written,
} from '../mapping/template.ts';
import { queryTemplate, unusable } from './address.ts';
import type { MethodConfig } from './config.ts';

export type Sent = { readonly body: string | Uint8Array | null; readonly type: string | null };
export type MakeBody = {
  /** `put` is where a page is named in a body of JSON. */
  make(scope: Scope, put?: (body: Json) => Json): Sent;
};

const kinds = ['body', 'form', 'multipart', 'text', 'binary'] as const;

/** What is sent with a request; null for nothing. */
export function bodyTemplate(config: MethodConfig, at: string, parts: TemplateParts): MakeBody | null {
  const given = kinds.filter((kind) => config[kind] !== undefined);
  const [kind, second] = given;
  if (kind === undefined) return null;
  const field = child(at, kind);
  if (second !== undefined) throw mistake(child(at, second), `is sent instead of ${kind}, not with it`);
  if (config.body !== undefined) return jsonBody(template(config.body, field, parts), field);
  if (config.form !== undefined) return formBody(queryTemplate(config.form, field, parts));
  if (config.multipart !== undefined) return multipartBody(config.multipart, field, parts);
  return kind === 'text'
    ? textBody(textTemplate(config.text ?? '', field, parts), field)
    : binaryBody(textTemplate(config.binary ?? '', field, parts), field);
}

function jsonBody(body: Template, at: string): MakeBody {
  const type = 'application/json';
  if (body.constant) {
    const value = body.fill({}) ?? null;
    const text = JSON.stringify(value);
    return { make: (_, put) => ({ body: put === undefined ? text : JSON.stringify(put(value)), type }) };
  }
  return {
    make: (scope, put) => {
      const value = body.fill(scope);
      if (value === undefined) throw nothingThere('the body', at);
      return { body: JSON.stringify(put === undefined ? value : put(value)), type };
    },
  };
}

function formBody(form: (scope: Scope) => string): MakeBody {
  const type = 'application/x-www-form-urlencoded';
  return { make: (scope) => ({ body: form(scope).slice(1), type }) };
}

function textBody(text: Template, at: string): MakeBody {
  return {
    make: (scope) => {
      const value = text.fill(scope);
      if (value === undefined) throw nothingThere('the text', at);
      return { body: written(value), type: 'text/plain; charset=utf-8' };
    },
  };
}

function binaryBody(text: Template, at: string): MakeBody {
  return { make: (scope) => ({ body: bytesOf(text.fill(scope), at), type: 'application/octet-stream' }) };
}

function bytesOf(value: Json | undefined, at: string): Buffer {
  if (value === undefined) throw nothingThere('the bytes', at);
  // Node reads whatever it can of a broken text and says nothing.
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 === 1)
    throw unusable(at, 'is no base64');
  return Buffer.from(value, 'base64');
}

function multipartBody(fields: Readonly<Record<string, Json>>, at: string, parts: TemplateParts): MakeBody {
  const members = Object.entries(fields).map(([name, value]) => {
    const field = child(at, name);
    return { name: quoted(name), field, file: isFile(value), value: template(value, field, parts) };
  });
  return {
    make: (scope) => {
      const boundary = `gleitzeit-${randomUUID()}`;
      const pieces: (string | Buffer)[] = [];
      for (const { name, field, file, value } of members) {
        const found = value.fill(scope);
        if (found === undefined || found === null) continue;
        // What is left of a file without its bytes would be sent as text.
        if (file && !isFile(found)) throw nothingThere('the bytes', field);
        pieces.push(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"`);
        if (isFile(found)) pieces.push(...fileOf(found, field));
        else pieces.push(`\r\n\r\n${written(found)}\r\n`);
      }
      pieces.push(`--${boundary}--\r\n`);
      const body = Buffer.concat(
        pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
      );
      return { body, type: `multipart/form-data; boundary=${boundary}` };
    },
  };
}

type File = { readonly base64: Json; readonly filename?: Json; readonly type?: Json };

function isFile(value: Json): value is File {
  return isObject(value) && Object.hasOwn(value, 'base64');
}

function fileOf({ base64, filename = 'file', type = 'application/octet-stream' }: File, at: string) {
  const kind = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.-]+)*$/.test(String(type));
  if (!kind) throw unusable(at, 'has a type that is none');
  const head = `; filename="${quoted(String(filename))}"\r\ncontent-type: ${String(type)}\r\n\r\n`;
  return [head, bytesOf(base64, at), '\r\n'];
}

/** As browsers write names in a form: nothing may end the quotes or the line. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
