import type { Progress, ProviderCall } from '../core/ports/provider.ts';
import { cleanText, hiddenForms, hideIn, hideInAll } from '../core/progress-text.ts';

type Report = NonNullable<ProviderCall['report']>;

/**
 * Reports without what the service was told in confidence. Output comes in pieces, so the beginning of a secret waits for
 * the next piece; where none comes it is never shown.
 */
export function reportWithout(report: Report, secrets: () => readonly string[]): Report {
  let open = '';
  let known: readonly string[] = [];
  let hidden = hiddenForms(known);
  return (told: Progress) => {
    const now = secrets();
    if (now.length === 0) {
      report(told);
      return;
    }
    if (now !== known) hidden = hiddenForms(now);
    known = now;
    const { message, text, ...numbers } = told;
    const { shown, rest } = hideIn(open + cleanText(text ?? ''), hidden, { ends: false });
    open = rest;
    report({
      ...numbers,
      ...(message === undefined ? {} : { message: hideInAll(message, hidden) }),
      ...(shown === '' ? {} : { text: shown }),
    });
  };
}
