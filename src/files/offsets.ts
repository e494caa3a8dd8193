import type { Span } from './source.ts';

/** A character of a text that a file holds: the text, and which one of it. */
export type Character = { readonly value: string; readonly index: number };

/** A stretch of the file that stands for one character that is no space, or for the two halves of one. */
type Unit = Span & { readonly width: number };

/**
 * Where a character of a text stands in the file. Quotes, escapes, folded lines and indentation change nothing but
 * spaces and the way a character is written, so those that are no spaces correspond one by one.
 */
export function offsetOf(text: string, span: Span, { value, index }: Character): number {
  const before = solidBefore(value, index);
  let seen = 0;
  let end = span.start;
  for (const unit of unitsOf(text, span)) {
    if (seen + unit.width > before && !isBlank(value.charCodeAt(index)) && index < value.length)
      return unit.start;
    if (seen >= before) break;
    seen += unit.width;
    end = unit.end;
  }
  // A space, or the end: as far behind the last character as it is in the text, where the file has spaces there too.
  return end + Math.min(blanksBefore(value, index), blanksAt(text, end));
}

function solidBefore(value: string, index: number): number {
  let count = 0;
  for (let i = 0; i < index && i < value.length; i++) if (!isBlank(value.charCodeAt(i))) count++;
  return count;
}

function blanksBefore(value: string, index: number): number {
  let count = 0;
  while (index - count > 0 && isBlank(value.charCodeAt(index - count - 1))) count++;
  return count;
}

function blanksAt(text: string, offset: number): number {
  let count = 0;
  while (text[offset + count] === ' ') count++;
  return count;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function* unitsOf(text: string, span: Span): Generator<Unit> {
  const style = text[span.start];
  const quoted = style === '"' || style === "'";
  const end = quoted ? span.end - 1 : span.end;
  let at = quoted ? span.start + 1 : bodyStart(text, span, style);
  while (at < end) {
    const length = quoted ? lengthAt(text, at, style) : 1;
    const width = length === 1 ? 1 : widthOf(text.slice(at, at + length));
    if (length > 1 ? width > 0 : !isBlank(text.charCodeAt(at))) yield { start: at, end: at + length, width };
    at += length;
  }
}

/** The first line of a block says how it is to be read. */
function bodyStart(text: string, span: Span, style: string | undefined): number {
  if (style !== '|' && style !== '>') return span.start;
  const line = text.indexOf('\n', span.start);
  return line === -1 ? span.end : line + 1;
}

const escapes: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function lengthAt(text: string, at: number, quote: string): number {
  if (quote === "'") return text[at] === "'" ? 2 : 1;
  return text[at] === '\\' ? (escapes[text[at + 1] ?? ''] ?? 2) : 1;
}

/** How many characters that are no spaces something escaped stands for. */
function widthOf(written: string): number {
  const [, letter = ''] = written;
  if (escapes[letter] === undefined || written[0] !== '\\') return /^[nrt \t\r\n]$/.test(letter) ? 0 : 1;
  const code = Number.parseInt(written.slice(2), 16);
  return isBlank(code) ? 0 : code > 0xffff ? 2 : 1;
}
