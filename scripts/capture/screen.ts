import { isEscape, type Sequence, sequenceAt, shown } from './sequences.ts';
import { plain, type Style, styled } from './style.ts';
import { widthOf } from './width.ts';

export type Cell = { readonly text: string; readonly style: Style };

/** The second half of a character that takes two columns. */
const COVERED = '';
const TAB = 8;

type Place = { readonly row: number; readonly column: number };

/**
 * A terminal: enough of one to show what our own programs print, and no more. It throws for whatever it does not know, so
 * that a capture is either what a terminal shows or not there. Nothing scrolls away: rows above the visible ones stay.
 */
export class Screen {
  readonly columns: number;
  readonly rows: number;
  readonly lines: Cell[][] = [[]];
  /** Rows that had to be continued in the next one, because they were longer than the screen is wide. */
  readonly wrapped = new Set<number>();
  cursorShown = true;
  #row = 0;
  #column = 0;
  #style = plain;
  #saved: Place = { row: 0, column: 0 };
  /** The first row that is still to be seen. */
  #top = 0;
  #rest = '';
  readonly #heard: (text: string) => void;
  readonly #decoder = new TextDecoder();

  /** `heard` is told what programs say to the terminal itself (OSC). */
  constructor(size: { columns: number; rows: number }, heard: (text: string) => void = () => {}) {
    this.columns = size.columns;
    this.rows = size.rows;
    this.#heard = heard;
  }

  /** The row the cursor is in. */
  get row(): number {
    return this.#row;
  }

  write(bytes: Uint8Array | string): void {
    let text =
      this.#rest + (typeof bytes === 'string' ? bytes : this.#decoder.decode(bytes, { stream: true }));
    this.#rest = '';
    while (text !== '') {
      const taken = this.#take(text);
      if (taken === 0) {
        this.#rest = text;
        return;
      }
      text = text.slice(taken);
    }
  }

  /** The rows as text, without the blanks at their ends. */
  text(from = 0): string[] {
    return this.lines.slice(from).map(textOf);
  }

  /** How much of the text was dealt with; 0 where the rest of a sequence has to come first. */
  #take(text: string): number {
    const [character = ''] = text;
    if (isEscape(character)) {
      const found = sequenceAt(text);
      if (found === 'more') return 0;
      if (found === null || !this.#obey(found.sequence)) throw unknown(text);
      return found.length;
    }
    if (character < ' ' || character === '\u007f') this.#control(character);
    else this.#put(character);
    return character.length;
  }

  #control(character: string): void {
    if (character === '\n') this.#down();
    else if (character === '\r') this.#column = 0;
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (character === '\t')
      this.#column = Math.min(this.columns - 1, (Math.floor(this.#column / TAB) + 1) * TAB);
    else if (character !== '\u0007') throw unknown(character);
  }

  #put(character: string): void {
    const width = widthOf(character);
    if (width === 0) {
      this.#join(character);
      return;
    }
    if (this.#column + width > this.columns) {
      this.wrapped.add(this.#row);
      this.#column = 0;
      this.#down();
    }
    const line = this.#line(this.#column);
    line[this.#column++] = { text: character, style: this.#style };
    if (width === 2) line[this.#column++] = { text: COVERED, style: this.#style };
  }

  /** A mark belongs to the character before it. */
  #join(mark: string): void {
    const line = this.#line(this.#column);
    const before = line[this.#column - 1];
    if (before !== undefined) line[this.#column - 1] = { ...before, text: before.text + mark };
  }

  #down(): void {
    this.#row++;
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
    this.lines[this.#row] ??= [];
  }

  /** The row of the cursor, filled with blanks up to a column. */
  #line(length: number): Cell[] {
    const line = this.lines[this.#row] ?? [];
    while (line.length < length) line.push({ text: ' ', style: plain });
    this.lines[this.#row] = line;
    return line;
  }

  #obey(sequence: Sequence): boolean {
    if (sequence.kind === 'osc') {
      this.#heard(sequence.text);
      return true;
    }
    if (sequence.kind === 'esc') return this.#remember(sequence.end);
    const { mark, numbers, end } = sequence;
    if (mark === '?') return this.#mode(numbers, end);
    if (mark !== '') return false;
    return end === 'm' ? this.#colour(numbers) : this.#erase(numbers, end) || this.#move(numbers, end);
  }

  #remember(end: string): boolean {
    if (end === '7') this.#saved = { row: this.#row, column: this.#column };
    else if (end === '8') this.#go(this.#saved);
    else return false;
    return true;
  }

  /** The cursor shown or hidden, updates in one piece, pasting in brackets: only the first changes what is seen. */
  #mode(numbers: readonly number[], end: string): boolean {
    if (end !== 'h' && end !== 'l') return false;
    if (numbers.includes(25)) this.cursorShown = end === 'h';
    return numbers.every((number) => [25, 2026, 2004].includes(number));
  }

  #colour(numbers: readonly number[]): boolean {
    for (const number of numbers.length === 0 ? [0] : numbers) {
      const style = styled(this.#style, number);
      if (style === undefined) return false;
      this.#style = style;
    }
    return true;
  }

  #move(numbers: readonly number[], end: string): boolean {
    const [first = 1, second = 1] = numbers;
    const { row, column } = { row: this.#row, column: this.#column };
    const places: Readonly<Record<string, Place>> = {
      A: { row: row - first, column },
      B: { row: row + first, column },
      C: { row, column: column + first },
      D: { row, column: column - first },
      E: { row: row + first, column: 0 },
      F: { row: row - first, column: 0 },
      G: { row, column: first - 1 },
      H: { row: this.#top + first - 1, column: second - 1 },
    };
    const place = places[end];
    if (place === undefined) return false;
    this.#go(place);
    return true;
  }

  #erase(numbers: readonly number[], end: string): boolean {
    const [what = 0] = numbers;
    if ((end !== 'J' && end !== 'K') || ![0, 2].includes(what)) return false;
    const line = this.#line(0);
    if (what === 0) line.length = Math.min(line.length, this.#column);
    else line.length = 0;
    if (end === 'K') return true;
    this.lines.length = this.#row + 1;
    if (what === 2) for (let row = this.#top; row <= this.#row; row++) this.lines[row] = [];
    return true;
  }

  #go({ row, column }: Place): void {
    this.#row = Math.min(Math.max(row, this.#top), this.#top + this.rows - 1);
    this.#column = Math.min(Math.max(column, 0), this.columns - 1);
    while (this.lines.length <= this.#row) this.lines.push([]);
  }
}

export function textOf(line: readonly Cell[]): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

function unknown(text: string): Error {
  return new Error(`the terminal does not know ${shown(text)}`);
}
