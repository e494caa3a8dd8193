import { isScalar, type ParsedNode } from 'yaml';
import type { Json } from '../core/json.ts';

export type Words = { readonly message: string; readonly hint: string | null };

/** The JSON value of a scalar, and what is wrong with it. */
export function jsonOf(node: { readonly value: unknown; readonly source: string }): {
  readonly value: Json;
  readonly trouble: Words | null;
} {
  const { value, source } = node;
  if (typeof value === 'number') return { value, trouble: numberTrouble(value, source) };
  const plain = typeof value === 'string' || typeof value === 'boolean' || value === null;
  return plain ? { value, trouble: null } : { value: null, trouble: notFinite };
}

const notFinite = { message: 'is no finite number', hint: 'put it in quotes if it is text' };

/** A number that would come out as another one is most likely an identifier. */
function numberTrouble(value: number, written: string): Words | null {
  if (!Number.isFinite(value)) return notFinite;
  if (Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(written)) return null;
  const digits = written.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  if (String(value) === digits) return null;
  const message = `is a number that cannot be kept exactly: it would become ${value}`;
  return { message, hint: 'put it in quotes' };
}

/** The text of a key: as it is written, where YAML would take it for a number or a truth value. */
export function keyOf(
  node: ParsedNode,
  refused: ReadonlySet<string>,
): { readonly key: string; readonly trouble: Words | null } {
  if (!isScalar(node)) return refuse('a key must be text', 'lists, mappings and aliases cannot be keys');
  const { value, source, type } = node;
  if (value === null) return refuse('a key is missing before the ":"', 'a key is text; quote "null" and "~"');
  const key = typeof value === 'string' ? value : source;
  if (type === 'PLAIN' && key === '<<') {
    return refuse(
      'merge keys (<<) are not read here',
      'write the keys out; an alias for a whole value works',
    );
  }
  return refused.has(key) ? refuse(`"${key}" cannot be a key`, 'use another name') : { key, trouble: null };
}

function refuse(message: string, hint: string): { key: string; trouble: Words } {
  return { key: '', trouble: { message, hint } };
}
