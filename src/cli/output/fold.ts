import { cutTo, widthOf } from './width.ts';

/** Cells for the first line, and for those after it. */
export type Room = { readonly first: number; readonly rest: number };

/** The text in lines that fit, broken between words; a word that is longer than a line is broken where it must be. */
export function fold(text: string, { first, rest }: Room): string[] {
  const lines = [''];
  for (const word of text.split(' ').flatMap((each) => pieces(each, Math.max(1, rest)))) {
    const line = lines.at(-1) ?? '';
    const room = lines.length === 1 ? first : rest;
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The same for a text of several lines, each with its indentation. */
export function foldLines(text: string, columns: number | null): string {
  if (columns === null) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? '';
      const room = Math.max(1, columns - indent.length);
      return fold(line.slice(indent.length), { first: room, rest: room }).map((part) => indent + part);
    })
    .join('\n');
}

function pieces(word: string, room: number): string[] {
  if (widthOf(word) <= room || room < 2) return [word];
  // The cut takes the place of one cell for its sign, which is taken off again.
  const piece = cutTo(word, room + 1).slice(0, -1);
  return [piece, ...pieces(word.slice(piece.length), room)];
}
