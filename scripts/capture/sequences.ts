const ESC = '\u001b';
const BEL = '\u0007';

/** What a program asks of the terminal besides showing a character. */
export type Sequence =
  | { readonly kind: 'csi'; readonly mark: string; readonly numbers: readonly number[]; readonly end: string }
  | { readonly kind: 'osc'; readonly text: string }
  | { readonly kind: 'esc'; readonly end: string };

export type Found = { readonly sequence: Sequence; readonly length: number };

const whole = new RegExp(
  `^${ESC}(?:\\[([?>]?)([\\d;]*)([@-~])|\\]([^${BEL}${ESC}]*)(?:${BEL}|${ESC}\\\\)|([^[\\]]))`,
);
const unfinished = new RegExp(`^${ESC}(?:\\[[?>]?[\\d;]*|\\][^${BEL}${ESC}]*${ESC}?)?$`);

/** The sequence a text begins with; `more` where its end has not come yet, null where it is none at all. */
export function sequenceAt(text: string): Found | 'more' | null {
  const match = whole.exec(text);
  if (match === null) return unfinished.test(text) ? 'more' : null;
  const [all, mark = '', numbers = '', end, osc, esc] = match;
  const { length } = all;
  if (end !== undefined) {
    const list = numbers === '' ? [] : numbers.split(';').map(Number);
    return { length, sequence: { kind: 'csi', mark, numbers: list, end } };
  }
  if (osc !== undefined) return { length, sequence: { kind: 'osc', text: osc } };
  return { length, sequence: { kind: 'esc', end: esc ?? '' } };
}

export function isEscape(character: string): boolean {
  return character === ESC;
}

/** As a person can read it, for errors. */
export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 24)).replaceAll('\\u001b', 'ESC ');
}
