import type { RpcId } from './messages.ts';

/**
 * The `id` of a message that is refused unparsed, found in its beginning: the caller hears why at once instead of
 * waiting for its deadline. Undefined where the beginning does not say it. Looks at the outermost members only, so an
 * `id` inside a result is not mistaken for it.
 */
export function idInHead(head: Uint8Array): RpcId | undefined {
  let depth = 0;
  for (let i = 0; i < head.length; i++) {
    const byte = head[i];
    if (byte === 0x22) {
      const end = endOfString(head, i);
      if (depth === 1 && isIdKey(head, i, end)) return scalarAfter(head, end + 1);
      i = end;
    } else if (byte === 0x5b || byte === 0x7b) depth++;
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return undefined;
}

function endOfString(head: Uint8Array, start: number): number {
  for (let i = start + 1; i < head.length; i++) {
    if (head[i] === 0x5c) i++;
    else if (head[i] === 0x22) return i;
  }
  return head.length;
}

/** The text `"id"` with a colon behind it: a value of "id" has none. */
function isIdKey(head: Uint8Array, start: number, end: number): boolean {
  return (
    end === start + 3 && head[start + 1] === 0x69 && head[start + 2] === 0x64 && colonAfter(head, end + 1)
  );
}

function colonAfter(head: Uint8Array, from: number): boolean {
  return head[afterSpace(head, from)] === 0x3a;
}

function afterSpace(head: Uint8Array, from: number): number {
  let i = from;
  while (head[i] === 0x20 || head[i] === 0x09 || head[i] === 0x0a || head[i] === 0x0d) i++;
  return i;
}

function scalarAfter(head: Uint8Array, from: number): RpcId | undefined {
  const start = afterSpace(head, afterSpace(head, from) + 1);
  let end = start;
  if (head[start] === 0x22) end = endOfString(head, start) + 1;
  else while (end < head.length && head[end] !== 0x2c && head[end] !== 0x7d) end++;
  try {
    const id: unknown = JSON.parse(new TextDecoder().decode(head.subarray(start, end)));
    return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
  } catch {
    return undefined;
  }
}
