import { secretForms } from './secret-forms.ts';
import { MASK, maskForms } from './secrets.ts';

/** What must not be told, in every form in which a cleaned text may hold it. */
export type Hidden = readonly string[];

export function hiddenForms(secrets: readonly string[]): Hidden {
  const forms = secrets.flatMap(secretForms);
  const all = [...forms, ...forms.map(cleanText), ...forms.map(cleanLine)];
  return [...new Set(all)].filter((form) => form !== '');
}

/** Output as stores and pages can hold it: lines and tabs stay, other control characters go. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '');
}

/** The same for what is shown on one line. */
export function cleanLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\r\n\t]+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
}

export function hideInAll(text: string, hidden: Hidden): string {
  return maskForms(text, hidden);
}

/**
 * The text without secrets, up to where one may begin whose rest is still to come. `ends`: nothing is to come, so the
 * beginning of a secret is left out.
 */
export function hideIn(
  text: string,
  hidden: Hidden,
  { ends }: { ends: boolean },
): { readonly shown: string; readonly rest: string } {
  const cut = safeEnd(text, hidden);
  const shown = maskForms(text.slice(0, cut), hidden);
  const rest = text.slice(cut);
  if (!ends) return { shown, rest };
  // What was kept back begins a secret, and may hold a whole one besides.
  return { shown: maskForms(rest, hidden) === rest ? shown : shown + MASK, rest: '' };
}

/** Where the end of the text begins that may be the beginning of a secret, or belongs to one that reaches into it. */
function safeEnd(text: string, hidden: Hidden): number {
  let cut = text.length;
  for (const form of hidden) cut = Math.min(cut, beginningOf(form, text));
  for (let before = -1; before !== cut; ) {
    before = cut;
    for (const form of hidden) cut = Math.min(cut, firstAcross(form, text, cut));
  }
  return cut;
}

/** Where the longest end of the text begins that is the beginning of the form, but not all of it. */
function beginningOf(form: string, text: string): number {
  const first = form.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - form.length + 1));
  while (at !== -1 && !form.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? text.length : at;
}

/** Where the form stands in the text so that the cut would go through it; the cut itself where it does not. */
function firstAcross(form: string, text: string, cut: number): number {
  const at = text.indexOf(form, Math.max(0, cut - form.length + 1));
  return at === -1 ? cut : Math.min(at, cut);
}
