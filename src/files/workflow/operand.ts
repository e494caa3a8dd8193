import type { PathOperand } from '../../core/reference-syntax.ts';
import type { Range } from '../parsed.ts';

const quoted = /"(?:[^"\\]|\\.)*"/y;
const bracket = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/y;

/** Where the name of the task ends in a text that holds a reference to it. */
export function headEnd(text: string, { start, end, path }: PathOperand): number {
  quoted.lastIndex = start;
  if (text[start] === '"' && quoted.test(text)) return quoted.lastIndex;
  if (path.length === 0) return end;
  const at = text.slice(start, end).search(/\s*[.[]/);
  return at === -1 ? end : start + at;
}

/** Where a step of the path of a reference stands, without its dot or brackets. */
export function segmentRange(text: string, operand: PathOperand, index: number): Range {
  let at = text.slice(headEnd(text, operand)).search(/[.[]/) + headEnd(text, operand);
  for (const [i, segment] of operand.path.entries()) {
    const start = at;
    if (text[at] === '[') {
      bracket.lastIndex = at;
      at = bracket.test(text) ? bracket.lastIndex : operand.end;
    } else at += 1 + String(segment).length;
    if (i === index) return text[start] === '[' ? [start, at] : [start + 1, at];
  }
  return [operand.start, operand.end];
}

/** A text with some of its references written anew. `from` and `to` count in the text as it was. */
export type Splice = { readonly from: number; readonly to: number; readonly put: string };

export function splice(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((a, b) => b.from - a.from)
    .reduce((done, { from, to, put }) => done.slice(0, from) + put + done.slice(to), text);
}

/** The whole `${…}` that an alternative stands in. */
export function expressionAround(text: string, { start, end }: PathOperand): Range {
  return [text.lastIndexOf('${', start), text.indexOf('}', end) + 1];
}
