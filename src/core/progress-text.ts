import { SHORTEST_PIECE, secretForms } from './secret-forms.ts';
import { openEndOf, spansIn } from './secret-readings.ts';
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

/** The same for what is shown on one line, which must not turn round what stands beside it. */
export function cleanLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\r\n\t]+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .trim();
}

export function hideInAll(text: string, hidden: Hidden): string {
  return maskForms(text, hidden);
}

/**
 * The text without secrets, up to where one may begin whose rest is still to come. `ends`: nothing is to come, so only an
 * end that says much of a secret is left out.
 */
export function hideIn(
  text: string,
  hidden: Hidden,
  { ends }: { ends: boolean },
): { readonly shown: string; readonly rest: string } {
  const cut = safeEnd(text, hidden, ends);
  const shown = maskForms(text.slice(0, cut), hidden);
  if (!ends) return { shown, rest: text.slice(cut) };
  return { shown: cut === text.length ? shown : shown + MASK, rest: '' };
}

/** Where the end of the text begins that may be the beginning of a secret, or belongs to one that reaches into it. */
function safeEnd(text: string, hidden: Hidden, ends: boolean): number {
  const beginningIn = (plain: string) =>
    hidden.reduce((least, form) => Math.min(least, beginningOf(form, plain, ends)), plain.length);
  let cut = openEndOf(text, { beginningIn, goesOn: !ends });
  const last = spansIn(text, hidden).sort((a, b) => b.from - a.from);
  for (const { from, to } of last) if (from < cut && cut < to) cut = from;
  return cut;
}

/** Where the longest end of the text begins that is the beginning of the form, but not all of it. */
function beginningOf(form: string, text: string, ends: boolean): number {
  const first = form.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - form.length + 1));
  while (at !== -1 && !form.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 || text.length - at < (ends ? tellingPart(form) : 1) ? text.length : at;
}

/** With so many characters of it, an end is no chance: most texts end with a letter that begins some secret. */
function tellingPart(form: string): number {
  return Math.min(SHORTEST_PIECE, Math.floor(form.length / 2) + 1);
}
