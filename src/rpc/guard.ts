/** More levels of nesting than allowed. */
export const TOO_DEEP = -1;
/** More keys, objects and lists than anybody needs. */
export const TOO_MANY = -2;

/**
 * Keys and containers cost the parser a microsecond each, and texts and numbers next to nothing: 32 MB of them would hold
 * everybody else up for seconds. A run of 100,000 tasks has about a million.
 */
export const MAX_PARTS = 2_000_000;
/** In one object. More of them also slow down whoever looks at it. */
export const MAX_KEYS = 100_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** By level; one is enough, since nothing else runs while bytes are measured. */
let keysAt = new Uint32Array(1024);

/**
 * How many members the outermost array or object of a JSON text has at most, `TOO_DEEP` or `TOO_MANY`. Looks at the bytes
 * alone: a text of 100,000 brackets parses, and then breaks whoever walks it; a batch of a million ones would be built
 * before anybody could count it. One pass, nothing allocated, and nothing said about whether the text is JSON.
 */
export function measure(bytes: Uint8Array, maxDepth: number): number {
  if (keysAt.length <= maxDepth) keysAt = new Uint32Array(maxDepth + 1);
  const length = bytes.length;
  let depth = 0;
  let commas = 0;
  let parts = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      // Inlined: a message is mostly strings, and this loop is most of the guard's time.
      for (i++; i < length; i++) {
        const inside = bytes[i];
        if (inside === BACKSLASH) i++;
        else if (inside === QUOTE) break;
      }
    } else if (byte === COMMA) {
      if (depth === 1) commas++;
    } else if (byte === COLON) {
      const keys = (keysAt[depth] ?? 0) + 1;
      keysAt[depth] = keys;
      if (++parts > MAX_PARTS || keys > MAX_KEYS) return TOO_MANY;
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > maxDepth) return TOO_DEEP;
      keysAt[depth] = 0;
      if (++parts > MAX_PARTS) return TOO_MANY;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return commas + 1;
}

/** Whether the first byte that is no white space opens an array. */
export function opensArray(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte === 0x5b;
  }
  return false;
}

/** Bytes that are no UTF-8 are refused, not repaired: what was sent and what is stored must be the same. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function textOf(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : decoder.decode(body);
}

export function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? encoder.encode(body) : body;
}
