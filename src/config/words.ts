import type { TSchema } from 'typebox';
import { Type } from '../type.ts';

/** Pieces the schema of the configuration is made of. All durations come out in seconds, all sizes in bytes. */

const closed = { additionalProperties: false } as const;

/** A section: always there in the result, since everything in it has a default. */
export function section<Properties extends Record<string, TSchema>>(
  description: string,
  properties: Properties,
) {
  return Type.Object(properties, { ...closed, description, default: {} });
}

export function item<Properties extends Record<string, TSchema>>(
  description: string,
  properties: Properties,
) {
  return Type.Object(properties, { ...closed, description });
}

export function text(description: string, more: object = {}) {
  return Type.String({ minLength: 1, description, ...more });
}

/** A path of the file system. In the file it counts from the file, in a variable from the working folder. */
export function path(description: string, more: object = {}) {
  return Type.String({
    minLength: 1,
    pattern: '^(?!:memory:$|file:)[^\\0]+$',
    'x-expected': 'the path of a file',
    'x-path': true,
    description,
    ...more,
  });
}

export function count(description: string, fallback: number, [minimum, maximum]: readonly [number, number]) {
  return Type.Integer({ description, default: fallback, minimum, maximum });
}

/** Seconds, or text such as 30s. */
export function duration(
  description: string,
  fallback: string,
  [minimum, maximum]: readonly [number, number],
) {
  return Type.Unsafe<number>({
    type: 'number',
    'x-unit': 'duration',
    description,
    default: fallback,
    minimum,
    maximum,
  });
}

/** Bytes, or text such as 8MiB. */
export function size(description: string, fallback: string, [minimum, maximum]: readonly [number, number]) {
  return Type.Unsafe<number>({
    type: 'number',
    'x-unit': 'size',
    description,
    default: fallback,
    minimum,
    maximum,
  });
}

export function texts(description: string, more: object = {}) {
  return Type.Array(Type.String({ minLength: 1, ...more }), { description, default: [], uniqueItems: true });
}
